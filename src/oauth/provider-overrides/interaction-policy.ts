import { interactionPolicy as library } from 'oidc-provider';

const { base, Check } = library;

/**
 * The library does not know organizations. Requires a sign-in when no member of the client's organization is signed in,
 * and otherwise consent.
 */
export function interactionPolicy(): library.DefaultPolicy {
  const policy = base();
  const login = policy.get('login')!;
  // in milliseconds, unlike `iat`: a sign-in in the same second but before the request must not count
  login.details = () => Promise.resolve({ since: Date.now() });
  login.checks.add(
    new Check(
      'other_organization',
      'the signed-in person is not a member of this organization',
      ({ oidc }) => !oidc.account,
    ),
  );
  return policy;
}
