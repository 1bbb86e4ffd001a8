import { derivedId } from '../../platform/crypto/ids.js';

/**
 * Ids of accounts, groups and audiences. They are derived from the id in the source, so documents and rosters agree on
 * them in either order, and from the connection, so two sources never share one.
 */
export const audienceIdOf = (connectionId: string, externalId: string): string =>
  derivedId(connectionId, 'audience', externalId);
export const sourceAccountIdOf = (connectionId: string, externalId: string): string =>
  derivedId(connectionId, 'account', externalId);
export const sourceGroupIdOf = (connectionId: string, externalId: string): string =>
  derivedId(connectionId, 'group', externalId);
/** The id of a set of readers, by its position in the audience. */
export const readerSetIdOf = (audienceId: string, number: number): string =>
  derivedId(audienceId, 'set', String(number));

const maxIdLength = 300;

export const isSourceId = (id: unknown): id is string =>
  typeof id === 'string' && id !== '' && id.length <= maxIdLength && id.isWellFormed() && !/\p{Cc}/u.test(id);
