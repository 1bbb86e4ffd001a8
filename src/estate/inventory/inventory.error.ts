import { defineProblem } from '../../platform/errors/problem.js';

export const estateNotFound = defineProblem({
  code: 'estate-not-found',
  status: 404,
  title: 'Not in the inventory',
  explain:
    'There is no such file, server, device or folder in the inventory of AI configurations, or it was forgotten.',
});
export const notAFolder = defineProblem({
  code: 'estate-not-a-folder',
  status: 409,
  title: 'Nothing that we look through',
  explain: 'Only connected folders are looked through from here; devices upload what they find by themselves.',
});
export const notQuarantined = defineProblem({
  code: 'estate-not-quarantined',
  status: 409,
  title: 'The file is not quarantined',
  explain: 'Only a file that is quarantined can be retried. Others are read again when they change.',
});
