import { Anchor, List } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import type { Connector } from '../../features/integrations/connectors.ts';
import type { Integration } from './integration-query.ts';
import type { OverviewData } from './overview-query.ts';
import { isUnreviewed } from '../../features/integrations/tool-status.tsx';

/** Whether agents and assistants can use it. */
export const isUsable = (connector: Connector | undefined) =>
  connector?.offers.some((offer) => offer === 'tools' || offer === 'knowledge' || offer === 'model');

interface Step {
  key: string;
  text: ReactNode;
}

/** The remaining setup steps, most urgent first. */
function stepsOf(
  of: Integration,
  connector: Connector | undefined,
  { connection, configurations }: OverviewData,
): Step[] {
  const at = (tab: string) => `/integrations/${of.id}/${tab}`;
  const tools = connection.tools.filter(({ goneAt }) => !goneAt);
  const blockedCount = tools.filter((tool) => tool.isPendingReview).length;
  const unreviewedCount = tools.filter(isUnreviewed).length;
  const isPersonal = (of.settings as Record<string, unknown>).credentials === 'personal';
  const missing = connector?.fields.filter(
    ({ type, required, name }) => type === 'secret' && required && !of.credentials.includes(name),
  );
  const uses = configurations?.nodes.filter(({ connections }) => connections.some(({ id }) => id === of.id));
  return [
    ...(missing?.length
      ? [{ key: 'secret', text: <StepLink to={at('settings')}>Enter the {missing[0].label} again</StepLink> }]
      : []),
    ...(of.status === 'failed' && !missing?.length && connector?.fields.length
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
    ...(isUsable(connector) && uses && !uses.length
      ? [
          {
            key: 'unused',
            text: (
              <StepLink to={`/agents/capabilities/configurations/new?integration=${of.id}`}>
                Create a configuration with it, so that agents and assistants can use it
              </StepLink>
            ),
          },
        ]
      : []),
  ];
}

const toolCount = (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`);

export const StepLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to} size="sm">
    {children}
  </Anchor>
);

export function NextSteps({
  of,
  connector,
  overview,
}: {
  of: Integration;
  connector: Connector | undefined;
  overview: OverviewData;
}) {
  const steps = stepsOf(of, connector, overview);
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
