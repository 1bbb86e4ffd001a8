import { Anchor, Code, Group, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { callStateName, sentenceCase } from '../../features/tasks/states.ts';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { useMay } from '../../kit/me.tsx';
import { Page } from '../../kit/page.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { chainBehind, inChain, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { CallApprovals } from './call-approvals.tsx';
import { callQuery, type CallRecord } from './call-query.ts';
import { CallHistory } from './call-history.tsx';
import { CallOutcome } from './call-outcome.tsx';

export function Component() {
  const { id } = useParams();
  const may = useMay();
  const canSeeApprovals = may('approvals:decide');
  const [result, refetch] = useQuery({ query: callQuery, variables: { id: id!, canSeeApprovals } });
  useChangeEvents(['call', 'approval'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ toolCall: call, approvals }) => (
        <Page
          title={`Call of ${visible(call.tool)}`}
          heading={
            <Group gap="sm">
              <Untrusted text={call.tool} />
              <StateBadge state={call.state} label={callStateName(call.state)} />
            </Group>
          }
          trail={[['Tasks', '/tasks']]}
        >
          <Section title="Request">
            <CallRequest call={call} />
          </Section>
          <Section title="Decision">
            <CallDecision call={call} />
          </Section>
          {approvals && approvals.nodes.length > 0 && (
            <Section title="Approvals">
              <CallApprovals approvals={approvals.nodes} />
            </Section>
          )}
          <PlainSection title="History">
            <CallHistory events={call.events} />
          </PlainSection>
          <Section title="Outcome">
            <CallOutcome call={call} />
          </Section>
        </Page>
      )}
    </Loaded>
  );
}

interface Caller {
  kind: string;
  name: string;
  surface: string;
  chain: { kind: string; id: string; name: string }[];
}

/** Who called what with which arguments, through which chain and surface. */
function CallRequest({ call }: { call: CallRecord }) {
  const may = useMay();
  const caller = call.caller as Caller;
  const shown = call.arguments ?? (call.redactedArguments ? JSON.stringify(call.redactedArguments) : null);
  return (
    <Facts
      facts={[
        [
          'Requested by',
          <>
            {sentenceCase(caller.kind)} <Untrusted text={caller.name} />
            {chainBehind(caller).map((link) => (
              <span key={link.id}>
                , {inChain(link.kind)} <Untrusted text={link.name} />
              </span>
            ))}
            , via {surfaceOf(caller)}
          </>,
        ],
        ['Requested', <When key="requested" at={call.requestedAt} />],
        [
          'Task',
          call.taskId && (
            <Anchor component={Link} to={`/tasks/${call.taskId}`} size="sm">
              View task
            </Anchor>
          ),
        ],
        ['Effect', call.effect && sentenceCase(call.effect)],
        [
          'Integration',
          call.connectionId && may('connections:manage') && (
            <Anchor component={Link} to={`/integrations/${call.connectionId}`} size="sm">
              View integration
            </Anchor>
          ),
        ],
        [
          call.arguments ? 'Arguments' : 'Arguments (redacted)',
          shown && (
            <Code block tabIndex={0} role="region" aria-label="Arguments" style={{ whiteSpace: 'pre-wrap' }}>
              <Untrusted text={JSON.stringify(JSON.parse(shown), null, 2)} />
            </Code>
          ),
        ],
        [
          'Audit log',
          may('audit:read') && (
            <Anchor component={Link} to={`/audit?subject=${call.id}`} size="sm">
              View events
            </Anchor>
          ),
        ],
        ['Call ID', <Code key="id">{call.id}</Code>],
      ]}
    />
  );
}

const verdictOf = ({ steps, policyIds, state }: CallRecord): string => {
  if (steps.length) return 'Approval required';
  return policyIds.length && state !== 'denied' ? 'Allowed' : 'Denied';
};

interface Narrowing {
  configurationId: string;
  policyIds: string[];
  revision: number;
}

/** The verdict, and the policies of which revision decided. */
function CallDecision({ call }: { call: CallRecord }) {
  const may = useMay();
  const { configurationId, configurationName, policyIds, policyRevision, steps } = call;
  const name = <Untrusted text={configurationName ?? 'Deleted configuration'} />;
  const narrowedBy = (call.narrowedBy ?? []) as Narrowing[];
  return (
    <Facts
      facts={[
        ['Verdict', verdictOf(call)],
        [
          'Configuration',
          configurationName && may('configurations:manage') ? (
            <Anchor component={Link} to={`/agents/capabilities/configurations/${configurationId}/policy`} size="sm">
              {name}
            </Anchor>
          ) : (
            name
          ),
        ],
        [
          'Policies',
          policyIds.length ? <Untrusted key="policies" text={policyIds.join(', ')} /> : 'No policy allows it',
        ],
        ['Policy revision', policyRevision],
        ['Approval steps', steps.length > 0 && <Untrusted key="steps" text={steps.join(', ')} />],
        ['Edited', call.editedBy.length > 0 && 'An approver edited the arguments'],
        ['Task grant', call.taskGrantId && 'Allowed by a grant for the task, without an approval of its own'],
        [
          'Narrowed by',
          narrowedBy.length > 0 &&
            narrowedBy.map(({ configurationId: by, policyIds: ids, revision }) => (
              <Text size="sm" key={by}>
                <Untrusted text={ids.join(', ')} />, revision {revision} of a delegating configuration
              </Text>
            )),
        ],
      ]}
    />
  );
}
