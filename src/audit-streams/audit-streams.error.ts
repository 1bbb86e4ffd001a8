import { defineProblem } from '../platform/errors/problem.js';

export const auditStreamNotFound = defineProblem({
  code: 'audit-stream-not-found',
  status: 404,
  title: 'Audit stream not found',
  explain: 'There is no audit stream with this id. "auditStreams" lists all of them.',
});
export const auditStreamNotStopped = defineProblem({
  code: 'audit-stream-not-stopped',
  status: 409,
  title: 'The audit stream has not stopped',
  explain: 'An event can be skipped only while its receiver rejects it ("stoppedAt").',
});
export const tooManyAuditStreams = defineProblem({
  code: 'too-many-audit-streams',
  status: 409,
  title: 'Too many audit streams',
  explain: 'An organization can have ten audit streams. Remove one first.',
});
