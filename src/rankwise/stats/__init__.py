"""Statistics on arrays, many of shape (systems, topics) or (pairs of systems, topics).

NaN stands for an undefined score.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.stats.agreement import (
        Tally, add_up, binary, bootstrap_of_sums, cohen_kappa, fleiss_kappa, gwet_ac,
        krippendorff_alpha, overrating, precision_recall, raw_agreement, tally, weight_matrix,
        weighted,
    )
    from rankwise.stats.correlation import (
        Ties, dense_ranks, fisher_interval, kendall, kendall_p, least_significant_tau,
        sakai_least_tau, spearman, spearman_p, tau_and_tau_ap, tau_ap,
    )
    from rankwise.stats.dependence import (
        RunVariances, allow_for_runs, cluster_sums, cluster_values, effective_clusters,
        run_variances,
    )
    from rankwise.stats.equivalence import (
        chance_if_equal, region_of_equivalence, topics_for_chance, tost,
    )
    from rankwise.stats.intervals import (
        DRAWS, Estimate, Moments, bootstrap_interval, cut_at_range, logit_interval_of,
        mean_interval, moments, t_interval, t_interval_of, t_interval_of_any, t_ratio,
    )
    from rankwise.stats.list_similarity import (
        Aligned, Overlap, SharedItems, TiedRankings, check_persistence, overlap_weights,
        overlaps_of_sums, pair_sums, rank_biased_alignment, rank_biased_overlap, rank_biased_recall,
        tau_of_union, tied_overlaps,
    )
    from rankwise.stats.multiple_comparisons import (
        Simultaneous, corrected, dunnett, max_t_interval, randomised_tukey, rank_sets,
        significance_groups, tukey_hsd,
    )
    from rankwise.stats.paired import (
        bootstrap_statistics, differences_of, drawn_topics, share_as_large, student_t,
    )
    from rankwise.stats.power import (
        ResidualVariance, anova_topics, equivalence_topics, expected_width, lower_effect,
        residual_variance, smallest_effect, t_test_topics, topics_needed, width_topics,
    )
    from rankwise.stats.prediction_powered import powered_mean, sampled_total
    from rankwise.stats.reproduction import (
        delta_relative_improvement, effect_ratio, normalised_rmse, rmse, unpaired_t,
    )
    from rankwise.stats.ridge_logistic import GradeSteps, RidgeLogistic
    from rankwise.stats.sampled_judgments import SampledTopic, inf_ndcg, stat_ap, x_inf_ap
    from rankwise.stats.simulated_scores import (
        copula_uniforms, normal_scores_correlation, permuted_scores, quantiles, tilted_weights,
    )
    from rankwise.stats.standardising import standardised
    from rankwise.stats.topic_bootstrap import (
        difference_p, resampled_means, tukey_pairs,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
