import { Button, Code, Group, Text, Title } from '@mantine/core';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { DefinitionDifference } from './definition-difference.tsx';
import { useIntegration } from './integration-query.ts';
import { ToolResultRules } from './result-rules.tsx';
import { ToolReview } from './tool-review.tsx';
import {
  annotationNames,
  effectNames,
  isReadOnlyByProtocol,
  ToolStatus,
} from '../../features/integrations/tool-status.tsx';

const query = graphql(`
  query IntegrationTool($id: ID!) {
    tool(id: $id) {
      id
      name
      upstreamName
      title
      description
      effect
      annotations
      suggestedEffect
      definition
      confirmedDefinition
      definitionHash
      operation
      confirmedAt
      confirmedBy {
        id
        name
      }
      isPendingReview
      isClaimedDestructive
      pausedAt
      goneAt
      seenAt
      resultRules {
        secrets
        personalData
        protectedFields
        size
        maxKilobytes
      }
    }
  }
`);

type Tool = ResultOf<typeof query>['tool'];

export function Component() {
  const { id = '', toolId = '' } = useParams();
  const [{ data }] = useIntegration(id);
  const [result, refetch] = useQuery({ query, variables: { id: toolId } });
  useChangeEvents('connection', () => refetch({ requestPolicy: 'network-only' }));
  const tool = result.data?.tool;
  const base = `/integrations/${id}`;
  return (
    <Page
      title={tool?.name ?? 'Tool'}
      heading={tool && <Heading of={tool} />}
      trail={[
        ['Integration settings', '/integrations'],
        [data ? visible(data.connection.name) : 'Integration', base],
        ['Tools', `${base}/tools`],
      ]}
      actions={tool && !tool.goneAt && <Pausing of={tool} />}
    >
      <Loaded result={result} refetch={refetch}>
        {({ tool }) => (
          <>
            {tool.isPendingReview && !tool.goneAt && <DefinitionChanges of={tool} />}
            <ToolDefinition of={tool} />
            {!tool.goneAt && <ToolReview key={tool.id + tool.definitionHash} of={tool} connectionId={id} />}
            {!tool.goneAt && data && (
              <ToolResultRules
                key={`rules ${tool.id}`}
                toolId={tool.id}
                rules={tool.resultRules}
                ofConnection={data.connection.resultRules}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const Heading = ({ of }: { of: Tool }) => (
  <Group gap="sm" component="span">
    <Untrusted text={of.title || of.name} />
    <ToolStatus of={of} />
  </Group>
);

const DefinitionChanges = ({ of }: { of: Tool }) => (
  <Section
    title="Definition changes"
    lead="Calls are blocked until you confirm the new definition. Language models read definitions, so look for instructions and for arguments that the tool does not need."
  >
    <DefinitionDifference before={of.confirmedDefinition} now={of.definition} />
  </Section>
);

const ToolDefinition = ({ of }: { of: Tool }) => (
  <Section title="Definition">
    <Facts
      facts={[
        ['Name', <Code key="name">{of.name}</Code>],
        ['Upstream name', <Untrusted key="own" text={of.upstreamName} />],
        ['Description', of.description ? <Untrusted key="description" text={of.description} /> : 'None'],
        ['Server annotations', annotationNames(of.annotations).join(', ') || 'None'],
        ['Effect', <ToolEffect key="effect" of={of} />],
        ['Last seen', <When key="seen" at={of.seenAt} />],
      ]}
    />
    <Title order={3} mt="lg" mb="xs">
      Raw definition
    </Title>
    <Code block tabIndex={0} aria-label="Raw definition" role="region" mah="24rem" style={{ overflow: 'auto' }}>
      <Untrusted text={JSON.stringify(of.definition, null, 2)} />
    </Code>
    <Text size="xs" c="dimmed" mt="xs" ff="monospace">
      SHA-256 {of.definitionHash}
    </Text>
  </Section>
);

const ToolEffect = ({ of: { effect, confirmedAt, confirmedBy, operation } }: { of: Tool }) => (
  <>
    {effectNames[effect]}
    {confirmedAt && (
      <>
        {', confirmed '}
        {confirmedBy && (
          <>
            by <Untrusted text={confirmedBy.name} />{' '}
          </>
        )}
        <When at={confirmedAt} />
      </>
    )}
    {!confirmedAt && (isReadOnlyByProtocol({ operation, effect }) ? ', defined by MCP' : ', not reviewed yet')}
  </>
);

const pause = graphql(`
  mutation PauseTool($id: ID!) {
    pauseTool(input: { id: $id }) {
      id
    }
  }
`);
const resume = graphql(`
  mutation ResumeTool($id: ID!) {
    resumeTool(input: { id: $id }) {
      id
    }
  }
`);

function Pausing({ of: { id, pausedAt } }: { of: Tool }) {
  const pausing = useChange(pause, { done: 'Tool paused. New calls are refused.', isLoud: true });
  const resuming = useChange(resume, { done: 'Tool resumed.', isLoud: true });
  const { send, isSending } = pausedAt ? resuming : pausing;
  return (
    <Button variant="default" loading={isSending} onClick={() => send({ id })}>
      {pausedAt ? 'Resume tool' : 'Pause tool'}
    </Button>
  );
}
