import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'cli/dist',
      'console/graphiql',
      'console/api/schema.d.ts',
      '.countersign',
      'node_modules',
      'examples/demo-documents',
      '**/*.js',
      '**/*.mjs',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'off', // decorator metadata needs value imports
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'platform/config is the only reader of process.env',
        },
        {
          selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>8]",
          message: 'a constructor with more than 8 parameters has more than one responsibility: split the class',
        },
        {
          selector:
            "JSXAttribute[name.name='error'] ~ JSXSpreadAttribute[argument.callee.property.name='getInputProps']",
          message: 'getInputProps has an error of its own, which hides this one: put error after it',
        },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'prefer-const': 'error',
      'no-useless-rename': 'error',
      'object-shorthand': ['error', 'properties'],
    },
  },
  {
    files: ['console/**'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'max-lines': ['error', 250],
    },
  },
  {
    files: ['src/**'],
    ignores: ['**/*.spec.ts', '**/migrations/**'],
    rules: { 'max-lines': ['error', 350] },
  },
  {
    files: [
      'src/platform/config/**',
      'ormconfig.ts',
      'cli/environment.ts',
      'src/platform/database/embedded.ts',
      'test/**',
      'bench/**',
      'eval/**',
      'examples/**',
      'console/vite.config.ts',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
