import { defineProblem } from '../platform/errors/problem.js';

export const documentsInvalid = defineProblem({
  code: 'documents-invalid',
  status: 400,
  title: 'Invalid documents',
  explain:
    'The documents of an organization have missing, unknown or invalid fields, or refer to objects that do not exist. "errors" lists each place: "/3/settings/url" is the field "settings.url" of the fourth document. Nothing was changed.',
});

export const planOutdated = defineProblem({
  code: 'plan-outdated',
  status: 409,
  title: 'The plan is outdated',
  explain:
    'The organization or the documents have changed since the plan was made, so the changes would not be those that were shown. Nothing was changed. Make a new plan.',
});
