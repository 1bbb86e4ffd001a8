import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { type Effect, effectNames } from '../../features/integrations/tool-status.tsx';
import './lines.css';

const query = graphql(`
  query ConfigurationSkills($id: ID!) {
    configuration(id: $id) {
      id
      agentCard
    }
  }
`);

/** A skill of the agent card. */
export interface Skill {
  id: string;
  name: string;
  description: string;
  /** The connection, the effect, and "needs-approval". */
  tags: string[];
}

/** The skills on the agent card for an agent without rules of its own. */
export function Skills({ configurationId }: { configurationId: string }) {
  const [result, refetch] = useQuery({ query, variables: { id: configurationId } });
  useChangeEvents(['configuration', 'policy', 'connection'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Section
      title="Skills"
      lead="The tools on the agent card: those that the policy can allow, with or without approval."
    >
      <Loaded result={result} refetch={refetch}>
        {({ configuration: { agentCard } }) => <SkillList skills={(agentCard as { skills: Skill[] }).skills} />}
      </Loaded>
    </Section>
  );
}

function SkillList({ skills }: { skills: Skill[] }) {
  if (!skills.length)
    return (
      <Text size="sm" c="dimmed">
        No skills yet.{' '}
        <Anchor component={Link} to="../integrations">
          Add an integration
        </Anchor>{' '}
        or check that the{' '}
        <Anchor component={Link} to="../policy">
          policy
        </Anchor>{' '}
        allows its tools.
      </Text>
    );
  return (
    <ul className="lines wrapping">
      {skills.map((skill) => (
        <li key={skill.id}>
          <SkillLine skill={skill} />
        </li>
      ))}
    </ul>
  );
}

const SkillLine = ({ skill: { id, name, description, tags } }: { skill: Skill }) => (
  <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
    <Stack gap={2} miw={0}>
      <Text size="sm" fw={550}>
        <Untrusted text={name} />
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        <Untrusted text={id} />
      </Text>
      <Text size="sm" lineClamp={2}>
        <Untrusted text={description} />
      </Text>
    </Stack>
    <Group gap={6} justify="flex-end" flex="none">
      <EffectBadge effect={tags[1] as Effect} />
      {tags.includes('needs-approval') && <Badge color="yellow">Requires approval</Badge>}
    </Group>
  </Group>
);

const tones = { read: 'gray', write: 'blue', destructive: 'red' };

export const EffectBadge = ({ effect }: { effect: Effect }) => (
  <Badge color={tones[effect]}>{effectNames[effect]}</Badge>
);
