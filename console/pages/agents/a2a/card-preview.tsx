import { Code, Select } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';

const query = graphql(`
  query AgentCard($id: ID!, $agentId: ID) {
    configuration(id: $id) {
      id
      agentCard(agentId: $agentId)
    }
  }
`);

interface Props {
  configurationId: string;
  agents: readonly { id: string; name: string }[];
}

/** The agent card as served. Each identity has its own card. */
export function CardPreview({ configurationId, agents }: Props) {
  const [chosenId, choose] = useState<string | null>(null);
  const agentId = chosenId ?? agents.at(0)?.id ?? null;
  const [result, refetch] = useQuery({ query, variables: { id: configurationId, agentId } });
  useChangeEvents(['configuration', 'policy', 'connection'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Section
      title="Agent card"
      lead="The card that this identity receives. It lists the tools that the policy can allow."
      actions={
        agents.length > 0 && (
          <Select
            aria-label="Agent identity"
            w="18rem"
            maw="100%"
            data={agents.map(({ id, name }) => ({ value: id, label: visible(name) }))}
            allowDeselect={false}
            value={agentId}
            onChange={choose}
          />
        )
      }
    >
      <Loaded result={result} refetch={refetch}>
        {({ configuration: { agentCard } }) => (
          <Code block mah="28rem" style={{ overflow: 'auto' }} tabIndex={0} role="region" aria-label="Agent card JSON">
            <Untrusted text={JSON.stringify(agentCard, null, 2)} />
          </Code>
        )}
      </Loaded>
    </Section>
  );
}
