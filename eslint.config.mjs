// The rules for the script of the report: https://eslint.org/docs/latest/rules/
const browser = Object.fromEntries(
  ["Blob", "Option", "URL", "URLSearchParams", "atob", "document", "history", "location", "requestAnimationFrame", "setTimeout", "window"].map((name) => [name, "readonly"]),
);

export default [
  {
    files: ["src/rankwise/reporting/web/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-shadow": "error",
      "no-redeclare": "error",
      "no-const-assign": "error",
      "no-dupe-keys": "error",
      "no-unreachable": "error",
      "no-fallthrough": "error",
      "no-implicit-globals": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      curly: ["error", "multi-line"],
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "parseFromString", "createContextualFragment"].map((property) => ({
          property,
          message: "All text goes in as text, never as markup.",
        })),
      ],
    },
  },
];
