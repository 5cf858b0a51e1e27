"""Statistics on arrays of systems × topics or pairs × topics; NaN is undefined."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.stats.agreement import (
        Tally as Tally,
        add_up as add_up,
        binary as binary,
        bootstrap_of_sums as bootstrap_of_sums,
        cohen_kappa as cohen_kappa,
        fleiss_kappa as fleiss_kappa,
        gwet_ac as gwet_ac,
        krippendorff_alpha as krippendorff_alpha,
        overrating as overrating,
        precision_recall as precision_recall,
        raw_agreement as raw_agreement,
        tally as tally,
        weight_matrix as weight_matrix,
        weighted as weighted,
    )
    from rankwise.stats.alignment import (
        Aligned as Aligned,
        rank_biased_alignment as rank_biased_alignment,
        rank_biased_recall as rank_biased_recall,
    )
    from rankwise.stats.anova import (
        Simultaneous as Simultaneous,
        dunnett as dunnett,
        randomised_tukey as randomised_tukey,
        tukey_hsd as tukey_hsd,
    )
    from rankwise.stats.clusters import (
        cluster_sums as cluster_sums,
        cluster_values as cluster_values,
        effective_clusters as effective_clusters,
    )
    from rankwise.stats.corrections import corrected as corrected
    from rankwise.stats.correlation import (
        Ties as Ties,
        dense_ranks as dense_ranks,
        fisher_interval as fisher_interval,
        kendall as kendall,
        kendall_p as kendall_p,
        least_significant_tau as least_significant_tau,
        sakai_least_tau as sakai_least_tau,
        spearman as spearman,
        spearman_p as spearman_p,
        tau_and_tau_ap as tau_and_tau_ap,
        tau_ap as tau_ap,
    )
    from rankwise.stats.equivalence import (
        region_of_equivalence as region_of_equivalence,
        tost as tost,
    )
    from rankwise.stats.intervals import (
        DRAWS as DRAWS,
        Estimate as Estimate,
        Moments as Moments,
        cut_at_range as cut_at_range,
        logit_interval_of as logit_interval_of,
        mean_interval as mean_interval,
        moments as moments,
        t_interval as t_interval,
        t_interval_of as t_interval_of,
        t_interval_of_any as t_interval_of_any,
        t_ratio as t_ratio,
    )
    from rankwise.stats.max_t import max_t_interval as max_t_interval
    from rankwise.stats.non_inferiority import (
        chance_if_equal as chance_if_equal,
        topics_for_chance as topics_for_chance,
    )
    from rankwise.stats.paired import (
        bootstrap_statistics as bootstrap_statistics,
        differences_of as differences_of,
        drawn_topics as drawn_topics,
        share_as_large as share_as_large,
        student_t as student_t,
    )
    from rankwise.stats.power import (
        lower_effect as lower_effect,
        smallest_effect as smallest_effect,
        topics_needed as topics_needed,
    )
    from rankwise.stats.prediction_powered import powered_mean as powered_mean
    from rankwise.stats.rank_spans import (
        rank_sets as rank_sets,
        significance_groups as significance_groups,
    )
    from rankwise.stats.rbo import (
        Overlap as Overlap,
        SharedItems as SharedItems,
        TiedRankings as TiedRankings,
        check_persistence as check_persistence,
        overlap_weights as overlap_weights,
        overlaps_of_sums as overlaps_of_sums,
        pair_sums as pair_sums,
        rank_biased_overlap as rank_biased_overlap,
        tied_overlaps as tied_overlaps,
    )
    from rankwise.stats.repetitions import (
        RunVariances as RunVariances,
        allow_for_runs as allow_for_runs,
        run_variances as run_variances,
    )
    from rankwise.stats.reproduction import (
        delta_relative_improvement as delta_relative_improvement,
        effect_ratio as effect_ratio,
        normalised_rmse as normalised_rmse,
        rmse as rmse,
        unpaired_t as unpaired_t,
    )
    from rankwise.stats.ridge_logistic import RidgeLogistic as RidgeLogistic
    from rankwise.stats.sampled_judgments import (
        SampledTopic as SampledTopic,
        inf_ndcg as inf_ndcg,
        stat_ap as stat_ap,
        x_inf_ap as x_inf_ap,
    )
    from rankwise.stats.simulated_scores import (
        copula_uniforms as copula_uniforms,
        normal_scores_correlation as normal_scores_correlation,
        permuted_scores as permuted_scores,
        quantiles as quantiles,
        tilted_weights as tilted_weights,
    )
    from rankwise.stats.standardising import standardised as standardised
    from rankwise.stats.survey import sampled_total as sampled_total
    from rankwise.stats.topic_bootstrap import (
        deviation as deviation,
        difference_p as difference_p,
        kendall_by_row as kendall_by_row,
        resampled_means as resampled_means,
        tukey_pairs as tukey_pairs,
    )
    from rankwise.stats.topic_set_size import (
        ResidualVariance as ResidualVariance,
        anova_topics as anova_topics,
        equivalence_topics as equivalence_topics,
        expected_width as expected_width,
        residual_variance as residual_variance,
        t_test_topics as t_test_topics,
        width_topics as width_topics,
    )
    from rankwise.stats.union_tau import tau_of_union as tau_of_union
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
