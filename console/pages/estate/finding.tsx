import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { ApproveServerOfFinding } from './approve-server-of-finding.tsx';
import { DismissFinding } from './dismiss-finding.tsx';
import { Evidence } from './evidence.tsx';
import { ownerLabel, ruleNames } from './labels.ts';

const findingQuery = graphql(`
  query EstateFinding($id: ID!, $asksUsers: Boolean!) {
    estateFinding(id: $id) {
      id
      rule
      severity
      state
      reason
      evidence
      fix
      fileId
      path
      source {
        id
        kind
        name
      }
      owner {
        name
        email
      }
      entryId
      serverId
      serverName
      firstSeen
      lastSeen
      resolvedAt
      dismissedAt
      dismissedByName
      dismissedReason
      users @include(if: $asksUsers) {
        name
        lastDay
      }
    }
    estateRules {
      id
      why
    }
  }
`);
const reopenFindings = graphql(`
  mutation ReopenEstateFindings($input: ReopenEstateFindingsInput!) {
    reopenEstateFindings(input: $input) {
      id
      state
    }
  }
`);
type Finding = ResultOf<typeof findingQuery>['estateFinding'];

const trail = [
  ['AI estate', '/estate/overview'],
  ['Findings', '/estate/findings'],
] as const;

/** A finding with its location, evidence, and fix. */
export function Component() {
  const { id } = useParams();
  const may = useMay();
  const [result, ask] = useQuery({ query: findingQuery, variables: { id: id!, asksUsers: may('spend:people') } });
  const refetch = () => ask({ requestPolicy: 'network-only' });
  useChangeEvents('estate', refetch);
  return (
    <Loaded result={result} refetch={ask}>
      {({ estateFinding: finding, estateRules }) => (
        <Page
          title={ruleNames[finding.rule]}
          trail={trail}
          lead={estateRules.find((rule) => rule.id === finding.rule)?.why}
          heading={
            <Group gap="sm">
              {ruleNames[finding.rule]} <StateBadge state={finding.severity} />
              {finding.state !== 'open' && <StateBadge state={finding.state} />}
            </Group>
          }
          actions={may('estate:manage') && <Actions finding={finding} refetch={refetch} />}
        >
          <Section title="Description">
            <Text mb="md">
              <Untrusted text={finding.reason} />
            </Text>
            <Alert variant="light" icon={<IconBulb aria-hidden />} title="Recommended fix">
              <Untrusted text={finding.fix} />
            </Alert>
          </Section>
          <Section title="Location and status">
            <Location finding={finding} />
          </Section>
          <Section title="Evidence">
            <Evidence of={finding.evidence as Record<string, unknown>} />
          </Section>
          {finding.users && finding.users.length > 0 && <Users users={finding.users} />}
        </Page>
      )}
    </Loaded>
  );
}

const Location = ({ finding }: { finding: Finding }) => (
  <Facts
    facts={[
      [
        'Server',
        finding.serverId && (
          <Anchor component={Link} to={`/estate/servers/${finding.serverId}`} size="sm">
            <Untrusted text={finding.serverName ?? 'Server'} />
          </Anchor>
        ),
      ],
      [
        'File',
        finding.fileId && (
          <Anchor component={Link} to={`/estate/files/${finding.fileId}`} size="sm">
            <Untrusted text={finding.path ?? 'File'} />
          </Anchor>
        ),
      ],
      [
        finding.source?.kind === 'device' ? 'Device' : 'Folder',
        finding.source && (
          <Anchor component={Link} to={`/estate/sources/${finding.source.id}`} size="sm">
            <Untrusted text={finding.source.name} />
          </Anchor>
        ),
      ],
      ['Owner', finding.owner && <Untrusted text={ownerLabel(finding.owner)} />],
      ['First seen', <When key="first" at={finding.firstSeen} />],
      ['Last seen', <When key="last" at={finding.lastSeen} />],
      ['Resolved', finding.resolvedAt && <When at={finding.resolvedAt} />],
      [
        'Dismissed',
        finding.dismissedAt && (
          <>
            <When at={finding.dismissedAt} />
            {finding.dismissedByName && (
              <>
                {' '}
                by <Untrusted text={finding.dismissedByName} />
              </>
            )}
          </>
        ),
      ],
      ['Reason for dismissal', finding.dismissedReason && <Untrusted text={finding.dismissedReason} />],
    ]}
  />
);

const Users = ({ users }: { users: NonNullable<Finding['users']> }) => (
  <Section title="Users" lead="People whose usage you may see. This access is recorded in the audit log.">
    <List size="sm">
      {users.map(({ name, lastDay }, at) => (
        <List.Item key={at}>
          <Untrusted text={name} />, last used on {lastDay}
        </List.Item>
      ))}
    </List>
  </Section>
);

function Actions({ finding, refetch }: { finding: Finding; refetch(): void }) {
  const [isDismissing, setDismissing] = useState(false);
  const reopen = useChange(reopenFindings, { done: 'Finding reopened.', isLoud: true, onDone: refetch });
  if (finding.state === 'dismissed')
    return (
      <Button
        variant="default"
        loading={reopen.isSending}
        onClick={() => void reopen.send({ input: { findingIds: [finding.id] } })}
      >
        Reopen finding
      </Button>
    );
  if (finding.state !== 'open') return null;
  return (
    <>
      {finding.rule === 'not_approved' && finding.serverId && (
        <ApproveServerOfFinding serverId={finding.serverId} onDone={refetch} />
      )}
      <Button variant="default" onClick={() => setDismissing(true)}>
        Dismiss finding
      </Button>
      {isDismissing && <DismissFinding id={finding.id} onClose={() => setDismissing(false)} refetch={refetch} />}
    </>
  );
}
