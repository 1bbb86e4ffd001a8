import { defineProblem } from '../../platform/errors/problem.js';

export const estateNotFound = defineProblem({
  code: 'estate-not-found',
  status: 404,
  title: 'Not in the inventory',
  explain: 'The inventory has no such file, server, device or folder, or it was removed.',
});
export const notAFolder = defineProblem({
  code: 'estate-not-a-folder',
  status: 409,
  title: 'Not a connected folder',
  explain: 'Only connected folders can be scanned on request. Devices upload their files themselves.',
});
export const notQuarantined = defineProblem({
  code: 'estate-not-quarantined',
  status: 409,
  title: 'File not quarantined',
  explain: 'Only quarantined files can be retried. Other files are read again when they change.',
});
