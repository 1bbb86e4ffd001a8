import { interactionPolicy as library } from 'oidc-provider';

const { base, Check } = library;

/** When a person is asked something: who they are, where nobody of the client's organization is signed in; else what may be done in their name. */
export function interactionPolicy(): library.DefaultPolicy {
  const policy = base();
  const login = policy.get('login')!;
  // to the millisecond, unlike `iat`: a sign-in right before does not count as one after
  login.details = () => Promise.resolve({ since: Date.now() });
  login.checks.add(
    new Check('other_organization', 'the person signed in is no member here', ({ oidc }) => !oidc.account),
  );
  return policy;
}
