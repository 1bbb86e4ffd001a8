import { interactionPolicy as library } from 'oidc-provider';

const { base, Check } = library;

/** When a person is asked something: who they are, where nobody of the client's organization is signed in; else what may be done in their name. */
export function interactionPolicy(): library.DefaultPolicy {
  const policy = base();
  policy
    .get('login')!
    .checks.add(new Check('other_organization', 'the person signed in is no member here', ({ oidc }) => !oidc.account));
  return policy;
}
