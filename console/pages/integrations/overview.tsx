import { Alert, Anchor, Box, Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { useMay } from '../../app/me.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { healthSentence, CheckFindings } from './health.tsx';
import { type Integration, useIntegration } from './integration-query.ts';
import { isUnreviewed } from './tool-status.tsx';
import { type Connector, useConnectors } from './connectors.ts';

const query = graphql(`
  query IntegrationOverview(
    $id: ID!
    $canManageKnowledge: Boolean!
    $canReadSpend: Boolean!
    $canReadPolicies: Boolean!
  ) {
    connection(id: $id) {
      id
      tools {
        id
        operation
        effect
        confirmedAt
        heldBack
        goneAt
      }
      accounts(first: 1) {
        totalCount
      }
      pendingAuthorizationServer {
        issuer
        authorizationEndpoint
        confirmedIssuer
        foundAt
      }
    }
    knowledgeSource(connectionId: $id) @include(if: $canManageKnowledge) {
      connectionId
      failure
      finishedAt
      problemCount
    }
    spendFeeds @include(if: $canReadSpend) {
      connectionId
      troubleDetail
      nextAt
    }
    configurations(first: 200) @include(if: $canReadPolicies) {
      nodes {
        id
        name
        connections {
          id
        }
      }
    }
  }
`);

type OverviewData = ResultOf<typeof query>;

export function Component() {
  const { id = '' } = useParams();
  const may = useMay();
  const [result] = useIntegration(id);
  const variables = {
    id,
    canManageKnowledge: may('knowledge:manage'),
    canReadSpend: may('spend:read'),
    canReadPolicies: may('policies:read'),
  };
  const [overview, refetchOverview] = useQuery({ query, variables });
  useNews(['connection', 'source', 'spend', 'configuration'], () => refetchOverview({ requestPolicy: 'network-only' }));
  const [{ data: catalogue }] = useConnectors();
  return (
    <Loaded asked={result}>
      {({ connection }) => {
        const kind = catalogue?.connectionKinds.find(({ id }) => id === connection.kind);
        return (
          <>
            <HealthSummary of={connection} />
            {overview.data && <UnconfirmedServer of={connection} overview={overview.data} />}
            {overview.data && <NextSteps of={connection} kind={kind} overview={overview.data} />}
            {overview.data && <LastErrors overview={overview.data} id={id} />}
            <IntegrationDetails of={connection} kind={kind} overview={overview.data} />
            <Remove of={connection} />
          </>
        );
      }}
    </Loaded>
  );
}

const HealthSummary = ({ of }: { of: Integration }) => (
  <Paper p="lg" mb="lg" component="section" aria-label="Connection test">
    <Text fw={600}>{healthSentence(of)}</Text>
    {of.statusReason && (
      <Box mt={6}>
        <CheckFindings of={of.statusReason} />
      </Box>
    )}
    <Text size="sm" c="dimmed" mt={6}>
      Last tested: <When at={of.verifiedAt} never="running" />
    </Text>
  </Paper>
);

function UnconfirmedServer({ of: { id, name }, overview }: { of: Integration; overview: OverviewData }) {
  const server = overview.connection.pendingAuthorizationServer;
  if (!server) return null;
  const { issuer, confirmedIssuer } = server;
  const isOther = confirmedIssuer !== issuer;
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="lg"
      icon={<IconAlertTriangle aria-hidden />}
      title={confirmedIssuer ? 'Sign-in server changed' : 'Sign-in server not confirmed'}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {confirmedIssuer && (isOther ? 'The server names another sign-in server. ' : 'Its endpoints changed. ')}
          <Untrusted text={name} /> would send people to <Untrusted text={server.authorizationEndpoint} /> to sign in.
          New sign-ins are blocked until an administrator confirms {confirmedIssuer ? 'the change' : 'this server'}.
          {confirmedIssuer && ' Connected accounts keep working.'}
        </Text>
        <Facts
          facts={[
            [confirmedIssuer && isOther ? 'New issuer' : 'Issuer', <Untrusted key="issuer" text={issuer} />],
            ['Confirmed issuer', confirmedIssuer && isOther && <Untrusted text={confirmedIssuer} />],
            ['Blocked since', <When key="found" at={server.foundAt} />],
          ]}
        />
        <Button
          component="a"
          href={`/connections/${id}/connect`}
          variant="default"
          rightSection={<IconExternalLink size={16} aria-hidden />}
        >
          Review sign-in server
        </Button>
        <Text size="xs">The review is the first step of connecting your own account.</Text>
      </Stack>
    </Alert>
  );
}

/** Whether agents and assistants can use it. */
const isUsable = (kind: Connector | undefined) =>
  kind?.offers.some((offer) => offer === 'tools' || offer === 'knowledge' || offer === 'model');

interface Step {
  key: string;
  text: ReactNode;
}

/** The remaining setup steps, most urgent first. */
function stepsOf(of: Integration, kind: Connector | undefined, { connection, configurations }: OverviewData): Step[] {
  const at = (tab: string) => `/integrations/${of.id}/${tab}`;
  const tools = connection.tools.filter(({ goneAt }) => !goneAt);
  const blockedCount = tools.filter((tool) => tool.heldBack).length;
  const unreviewedCount = tools.filter(isUnreviewed).length;
  const isPersonal = (of.settings as Record<string, unknown>).credentials === 'personal';
  const missing = kind?.fields.filter(
    ({ type, required, name }) => type === 'secret' && required && !of.credentials.includes(name),
  );
  const uses = configurations?.nodes.filter(({ connections }) => connections.some(({ id }) => id === of.id));
  return [
    ...(missing?.length
      ? [{ key: 'secret', text: <StepLink to={at('settings')}>Enter the {missing[0].label} again</StepLink> }]
      : []),
    ...(of.status === 'failed' && !missing?.length && kind?.fields.length
      ? [{ key: 'settings', text: <StepLink to={at('settings')}>Edit settings</StepLink> }]
      : []),
    ...(isPersonal && !connection.accounts.totalCount
      ? [
          {
            key: 'account',
            text: <StepLink to={at('accounts')}>Connect your account to list the tools</StepLink>,
          },
        ]
      : []),
    ...(blockedCount
      ? [
          {
            key: 'held',
            text: <StepLink to={`${at('tools')}?show=held`}>Review changes to {toolCount(blockedCount)}</StepLink>,
          },
        ]
      : []),
    ...(unreviewedCount
      ? [
          {
            key: 'unread',
            text: <StepLink to={`${at('tools')}?show=unread`}>Review {toolCount(unreviewedCount)}</StepLink>,
          },
        ]
      : []),
    ...(isUsable(kind) && uses && !uses.length
      ? [
          {
            key: 'unused',
            text: (
              <StepLink to="/agents/capabilities">
                Add it to a configuration so that agents and assistants can use it
              </StepLink>
            ),
          },
        ]
      : []),
  ];
}

const toolCount = (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`);

const StepLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to} size="sm">
    {children}
  </Anchor>
);

function NextSteps({ of, kind, overview }: { of: Integration; kind: Connector | undefined; overview: OverviewData }) {
  const steps = stepsOf(of, kind, overview);
  if (!steps.length) return null;
  return (
    <Section title="Next steps">
      <List spacing={4}>
        {steps.map(({ key, text }) => (
          <List.Item key={key}>{text}</List.Item>
        ))}
      </List>
    </Section>
  );
}

function LastErrors({ overview: { knowledgeSource: source, spendFeeds }, id }: { overview: OverviewData; id: string }) {
  const feed = spendFeeds?.find(({ connectionId }) => connectionId === id);
  const failure = source?.failure;
  const problems = source?.problemCount ?? 0;
  if (!failure && !problems && !feed?.troubleDetail) return null;
  return (
    <Section title="Recent errors">
      <Stack gap={6}>
        {failure && (
          <Text size="sm">
            Last sync failed <When at={source.finishedAt} />: <Untrusted text={failure} />
          </Text>
        )}
        {problems > 0 && (
          <Text size="sm">
            {problems === 1 ? '1 document was' : `${problems} documents were`} skipped.{' '}
            <StepLink to={`/integrations/${id}/sync`}>View skipped documents</StepLink>
          </Text>
        )}
        {feed?.troubleDetail && (
          <Text size="sm">
            Last spend sync failed: <Untrusted text={feed.troubleDetail} /> Next attempt: <When at={feed.nextAt} />.{' '}
            <StepLink to={`/integrations/${id}/sync`}>View sync runs</StepLink>
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function IntegrationDetails({
  of,
  kind,
  overview,
}: {
  of: Integration;
  kind: Connector | undefined;
  overview: OverviewData | undefined;
}) {
  const users = overview?.configurations?.nodes.filter(({ connections }) => connections.some(({ id }) => id === of.id));
  return (
    <Section title="Details">
      <Facts
        facts={[
          ['Type', kind?.title ?? of.kind],
          ...targetsOf(of, kind),
          ['Tool prefix', <CopyText key="slug" value={of.slug} what="tool prefix" />],
          ['Used by', isUsable(kind) && users && (users.length ? <Users of={users} /> : 'No configurations')],
          ['Added', <When key="added" at={of.createdAt} />],
          ['Last updated', of.changedAt && <Saved of={of} />],
        ]}
      />
    </Section>
  );
}

/** The addresses that the integration calls and sends its credential to. */
function targetsOf({ settings }: Integration, kind: Connector | undefined): [string, ReactNode][] {
  const values = settings as Record<string, unknown>;
  const targets = kind?.fields.filter(({ name, type, isTarget }) => (type === 'url' || isTarget) && values[name]) ?? [];
  return targets.map(({ name, label }) => [label, <Untrusted key={name} text={String(values[name])} />]);
}

const Saved = ({ of: { changedAt, changedBy } }: { of: Integration }) => (
  <>
    <When at={changedAt} />
    {changedBy && (
      <>
        {' by '}
        <Untrusted text={changedBy.name} />
      </>
    )}
  </>
);

const Users = ({ of }: { of: { id: string; name: string }[] }) => (
  <Group gap={6}>
    {of.map(({ id, name }) => (
      <Anchor key={id} component={Link} to={`/agents/capabilities/configurations/${id}`} size="sm">
        <Untrusted text={name} />
      </Anchor>
    ))}
  </Group>
);

const remove = graphql(`
  mutation RemoveIntegration($id: ID!) {
    removeConnection(input: { id: $id }) {
      id
    }
  }
`);

function Remove({ of: { id, name } }: { of: Integration }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { send, problem, isSending, forget } = useChange(remove, {
    done: 'Integration removed. Its credentials are deleted.',
    onDone: () => void navigate('/integrations'),
  });
  return (
    <Box mt="xl">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" flex="1 1 16rem">
          Removing the integration deletes its credentials and synced content immediately. The audit log keeps its past
          calls.
        </Text>
        <Button variant="default" onClick={() => setOpen(true)}>
          Remove integration
        </Button>
      </Group>
      <Confirm
        opened={isOpen}
        onClose={() => {
          setOpen(false);
          forget();
        }}
        title="Remove integration?"
        verb="Remove integration"
        name={name}
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ id })}
      >
        <Text size="sm">
          Agents and assistants lose access to <Untrusted text={name} /> immediately. Its credentials and synced
          documents are deleted. You can't undo this.
        </Text>
      </Confirm>
    </Box>
  );
}
