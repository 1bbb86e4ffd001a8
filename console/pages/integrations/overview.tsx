import { Anchor, Box, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { type Connector, optionLabel, useConnectors } from '../../features/integrations/connectors.ts';
import { CheckFindings, healthSentence } from '../../features/integrations/health.tsx';
import { type Integration, useIntegration } from './integration-query.ts';
import { isUsable, NextSteps, StepLink } from './next-steps.tsx';
import { type OverviewData, overviewQuery } from './overview-query.ts';
import { RemoveIntegration } from './remove-integration.tsx';
import { UnconfirmedServer } from './unconfirmed-server.tsx';

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
  const [overview, refetchOverview] = useQuery({ query: overviewQuery, variables });
  useChangeEvents(['connection', 'source', 'spend', 'configuration'], () =>
    refetchOverview({ requestPolicy: 'network-only' }),
  );
  const [{ data: connectors }] = useConnectors();
  return (
    <Loaded result={result}>
      {({ connection }) => {
        const connector = connectors?.connectors.find(({ id }) => id === connection.kind);
        return (
          <>
            <HealthSummary of={connection} />
            {overview.data && <UnconfirmedServer of={connection} overview={overview.data} />}
            {overview.data && <NextSteps of={connection} connector={connector} overview={overview.data} />}
            {overview.data && <LastErrors overview={overview.data} id={id} />}
            <IntegrationDetails of={connection} connector={connector} overview={overview.data} />
            <RemoveIntegration of={connection} />
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

function LastErrors({ overview: { knowledgeSource: source, spendFeeds }, id }: { overview: OverviewData; id: string }) {
  const feed = spendFeeds?.find(({ connectionId }) => connectionId === id);
  const failure = source?.failure;
  const problems = source?.problemCount ?? 0;
  if (!failure && !problems && !feed?.errorDetail) return null;
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
        {feed?.errorDetail && (
          <Text size="sm">
            Last spend sync failed: <Untrusted text={feed.errorDetail} /> Next attempt: <When at={feed.nextAt} />.{' '}
            <StepLink to={`/integrations/${id}/sync`}>View sync runs</StepLink>
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function IntegrationDetails({
  of,
  connector,
  overview,
}: {
  of: Integration;
  connector: Connector | undefined;
  overview: OverviewData | undefined;
}) {
  const users = overview?.configurations?.nodes.filter(({ connections }) => connections.some(({ id }) => id === of.id));
  return (
    <Section title="Details">
      <Facts
        facts={[
          ['Type', connector?.title ?? of.kind],
          ...targetsOf(of, connector),
          ['Tool prefix', <CopyText key="slug" value={of.slug} what="tool prefix" />],
          ['Webhook', of.webhookUrl && <StepLink to={`/integrations/${of.id}/sync`}>View address and events</StepLink>],
          ['Used by', isUsable(connector) && users && (users.length ? <Users of={users} /> : 'No configurations')],
          ['Added', <When key="added" at={of.createdAt} />],
          ['Last updated', of.changedAt && <Saved of={of} />],
        ]}
      />
    </Section>
  );
}

/** The addresses that the integration calls and sends its credential to. */
function targetsOf({ settings }: Integration, connector: Connector | undefined): [string, ReactNode][] {
  const values = settings as Record<string, unknown>;
  const targets =
    connector?.fields.filter(({ name, type, isTarget }) => (type === 'url' || isTarget) && values[name]) ?? [];
  return targets.map((field) => [
    field.label,
    <Untrusted key={field.name} text={optionLabel(field, String(values[field.name]))} />,
  ]);
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
