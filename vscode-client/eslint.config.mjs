import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist", "bundle", "node_modules"] },
    js.configs.recommended,
    {
        files: ["src/**/*.ts"],
        extends: [tseslint.configs.strictTypeChecked],
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
        rules: {
            "@typescript-eslint/restrict-template-expressions": [
                "error",
                { allowNumber: true, allowNullish: true },
            ],
            "@typescript-eslint/no-unused-vars": [
                "error",
                { varsIgnorePattern: "^_", argsIgnorePattern: "^_" },
            ],
            "@typescript-eslint/no-confusing-void-expression": "off",
        },
    },
    { files: ["*.mjs"], languageOptions: { globals: { process: "readonly" } } },
);
