import { defineProblem } from '../../platform/errors/problem.js';

export const estateNotFound = defineProblem({
  code: 'estate-not-found',
  status: 404,
  title: 'Not in the inventory',
  explain: 'The inventory of AI configurations has no file, server, device or folder with this id, or it was removed.',
});
export const notAFolder = defineProblem({
  code: 'estate-not-a-folder',
  status: 409,
  title: 'Not available for this source',
  explain:
    'Only connected folders can be scanned. Devices upload their files themselves, and only they can be removed or released.',
});
export const notQuarantined = defineProblem({
  code: 'estate-not-quarantined',
  status: 409,
  title: 'The file is not quarantined',
  explain: 'Only quarantined files can be retried. Other files are read again when they change.',
});
