import { graphql } from '../api/graphql.ts';
import { useMe } from './me.tsx';
import { useChange } from './use-change.tsx';

const endOwnSession = graphql(`
  mutation SignOut($input: EndSessionInput!) {
    endSession(input: $input)
  }
`);

/** Ends this session and opens the sign-in page of the organization. */
export function useSignOut(): { signOut(): void; isSending: boolean } {
  const { sessionId, tenant } = useMe();
  const { send, isSending } = useChange(endOwnSession, {
    onDone: () => location.assign(`/sign-in?${new URLSearchParams({ organization: tenant.slug })}`),
    isLoud: true,
  });
  return { signOut: () => void send({ input: { sessionId: sessionId! } }), isSending };
}
