"""Texts of files that have schemas: valid ones, and changes that make them invalid."""

from json_texts import PACKAGE, TSCONFIG

VALID = {
    "package.json": PACKAGE,
    "tsconfig.json": TSCONFIG,
    "jsconfig.json": '{"compilerOptions": {"target": "ES2020", "checkJs": true}, "exclude": ["node_modules"]}\n',
    ".babelrc.json": '{"presets": [["@babel/preset-env", {"modules": false}]], "comments": false}\n',
    ".eslintrc.json": '{"root": true, "env": {"browser": true}, "rules": {"eqeqeq": ["error", "always"], "semi": 0}}\n',
    "jest.config.json": '{"bail": true, "collectCoverage": false, "testMatch": ["**/*.test.js"]}\n',
    "lerna.json": '{"version": "independent", "npmClient": "npm", "packages": ["packages/*"]}\n',
    ".mocharc.json": '{"bail": true, "timeout": 5000, "spec": ["test/**/*.js"]}\n',
    "nest-cli.json": '{"language": "ts", "sourceRoot": "src", "compilerOptions": {"webpack": true}}\n',
    "nodemon.json": '{"watch": ["src"], "ext": "js,json", "verbose": true}\n',
    ".prettierrc.json": '{"semi": false, "printWidth": 100, "overrides": [{"files": "*.md", "options": {"tabWidth": 4}}]}\n',
}
"""By file name."""

WRONG = [
    ("package.json", '"private": false', '"private": "no way"'),
    ("package.json", '["leftpad", "left", "pad"]', '["leftpad", 3, "pad"]'),
    ("package.json", '"left-pad"', '""'),
    ("package.json", '"files": []', '"files": [], "type": "modul"'),
    ("package.json", '"engines": {}', '"engines": {"node": 20}'),
    ("tsconfig.json", '"strict": true', '"strict": "yes"'),
    ("tsconfig.json", '"ES2022", /*', '"ES1999", /*'),
    ("tsconfig.json", '["./src/*"]', '"./src/*"'),
    ("tsconfig.json", '"DOM",', '"DOM", "DOM",'),
    ("jsconfig.json", '"checkJs": true', '"checkJs": 1'),
    (".babelrc.json", '"comments": false', '"comments": 1'),
    (".eslintrc.json", '"semi": 0', '"semi": 7'),
    ("jest.config.json", '"collectCoverage": false', '"collectCoverage": []'),
    ("lerna.json", '["packages/*"]', '"packages/*"'),
    (".mocharc.json", '"bail": true', '"bail": {}'),
    ("nest-cli.json", '"sourceRoot": "src"', '"sourceRoot": 1'),
    ("nodemon.json", '"verbose": true', '"verbose": "very"'),
    (".prettierrc.json", '"printWidth": 100', '"printWidth": "100"'),
]
"""(file name, a piece of its valid text, what makes the text invalid in its place)."""
