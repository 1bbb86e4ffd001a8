import { Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';
import { ProposalCard } from './proposal-card.tsx';
import { type DismissedProposal, proposalsQuery } from './proposals-query.ts';

const addPermit = graphql(`
  mutation AddProposedPermit($input: AddProposedPermitInput!) {
    addProposedPermit(input: $input) {
      id
      state
    }
  }
`);
const dismissProposal = graphql(`
  mutation DismissPermitProposal($input: DismissPermitProposalInput!) {
    dismissPermitProposal(input: $input) {
      id
      state
    }
  }
`);

interface Props {
  configurationId: string;
  mayManage: boolean;
  hasDraft: boolean;
  /** Unsaved changes of the text: the permit would be added to the text without them. */
  isDirty: boolean;
  /** After the draft was saved. */
  onDrafted(): void;
}

/** Suggests permits for calls that were approved ten times in a row. */
export function PermitProposals({ configurationId, mayManage, hasDraft, isDirty, onDrafted }: Props) {
  const [{ data }, refetch] = useQuery({ query: proposalsQuery, variables: { configurationId } });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useChangeEvents(['policy', 'approval'], reload);
  const adding = useChange(addPermit, {
    done: 'Added to the draft. It takes effect when you publish it.',
    onDone: () => {
      reload();
      onDrafted();
    },
    onRefused: reload,
  });
  const dismissing = useChange(dismissProposal, { done: 'Proposal dismissed.', onDone: reload, onRefused: reload });
  const proposals = data?.open.nodes ?? [];
  const dismissed = data?.dismissed.nodes ?? [];
  const problem = adding.problem ?? dismissing.problem;
  if (!proposals.length && !dismissed.length && !problem) return null;
  return (
    <Section
      title="Proposed permits"
      lead="These calls were approved ten times in a row with the same arguments. A permit lets exactly this call run without an approval. Nothing changes until you publish it."
    >
      {problem && <ProblemNote problem={problem} />}
      <Stack gap="md">
        {proposals.map((proposal) => (
          <ProposalCard
            key={proposal.id}
            proposal={proposal}
            mayManage={mayManage}
            hasDraft={hasDraft}
            isDirty={isDirty}
            isSending={adding.isSending || dismissing.isSending}
            onAdd={() => void adding.send({ input: { id: proposal.id } })}
            onDismiss={() => void dismissing.send({ input: { id: proposal.id } })}
          />
        ))}
        {dismissed.length > 0 && <Dismissed proposals={dismissed} />}
      </Stack>
    </Section>
  );
}

const Dismissed = ({ proposals }: { proposals: readonly DismissedProposal[] }) => (
  <Disclosure label={`Show ${proposals.length} dismissed`} openLabel={`Hide ${proposals.length} dismissed`}>
    <Stack component="ul" gap={4} mt="xs" mb={0} pl="md">
      {proposals.map(({ id, tool, principalName, closer, closedAt }) => (
        <Text component="li" size="sm" key={id}>
          <Untrusted text={tool} /> by <Untrusted text={principalName ?? 'a removed caller'} />, dismissed by{' '}
          <Untrusted text={closer ?? ''} /> <When at={closedAt} />
        </Text>
      ))}
    </Stack>
  </Disclosure>
);
