import type { RegisteredPasskey } from '../access/passkeys/passkey-assertions.service.js';

/** A passkey of a member, and whether it counts for one approval. */
export interface AssessedPasskey extends RegisteredPasskey {
  /** It was registered before the call was requested. */
  isOlder: boolean;
  /** No requester could use the account of the member when the passkey was registered. A later vouch does not change that. */
  isIndependent: boolean;
}

interface PasskeyFacts {
  /** The passkeys that counted when the call was requested. Undefined: it is requested now. */
  storedIds: readonly string[] | undefined;
  requesters: readonly string[];
  /** Whether this person could use the account of the member at this time, in microseconds. */
  couldUse: (person: string, memberId: string, at: number) => boolean;
  acceptsIntroduced: boolean;
}

export const assessPasskeys = (
  passkeys: readonly RegisteredPasskey[],
  { storedIds, requesters, couldUse, acceptsIntroduced }: PasskeyFacts,
): AssessedPasskey[] =>
  passkeys.map((passkey) => {
    const { id, memberId, registeredAt } = passkey;
    const isTheirs = (requester: string) => requester === memberId || couldUse(requester, memberId, registeredAt);
    return {
      ...passkey,
      isOlder: storedIds?.includes(id) ?? true,
      isIndependent: acceptsIntroduced || !requesters.some(isTheirs),
    };
  });

/** `null`: the step requires no passkey, so everyone can decide. */
export const hasPasskey = (
  passkeys: readonly AssessedPasskey[] | null,
  memberId: string,
  { needsIndependence }: { needsIndependence: boolean },
): boolean => passkeys === null || usablePasskeys(passkeys, memberId, { needsIndependence }).length > 0;

export const usablePasskeys = (
  passkeys: readonly AssessedPasskey[],
  memberId: string,
  { needsIndependence }: { needsIndependence: boolean },
): AssessedPasskey[] =>
  passkeys.filter((one) => one.memberId === memberId && one.isOlder && (one.isIndependent || !needsIndependence));
