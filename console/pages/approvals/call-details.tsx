import { Anchor } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Facts } from '../../kit/facts.tsx';
import { chainBehind, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { Approval } from './approval-query.ts';
import { type ApprovalCaller, tierNames } from './labels.ts';

/** Who is responsible, where the call goes, and why it needs approval. */
export function CallDetails({ approval }: { approval: Approval }) {
  const may = useMay();
  return (
    <Facts
      facts={[
        ['Responsible', <ResponsibleMembers key="answerable" approval={approval} />],
        ['Configuration', <ConfigurationName key="configuration" approval={approval} />],
        [
          'Destination',
          approval.call.connection && <Destination key="destination" connection={approval.call.connection} />,
        ],
        ['Task', approval.taskId && <TaskLink key="task" task={approval.task} />],
        [
          'Call',
          may('tasks:read') && (
            <Anchor key="call" component={Link} to={`/calls/${approval.call.callId}`} size="sm">
              View call
            </Anchor>
          ),
        ],
        ['Blocked tasks', approval.blockedTaskCount || null],
        ['Requested by policy', <Policies key="policies" approval={approval} />],
        ['Approvers', <Approvers key="deciders" approval={approval} />],
        [
          'Escalation',
          (approval.escalatedAt ?? approval.escalatesAt) && <Escalation key="escalation" approval={approval} />,
        ],
        ['Requested', <When key="at" at={approval.createdAt} />],
        ['Expires', approval.state === 'pending' && <When key="until" at={approval.expiresAt} />],
      ]}
    />
  );
}

interface Props {
  approval: Approval;
}

/** "the agent Helper, for the member Ada, via A2A" */
export function Requester({ approval }: Props) {
  const caller = approval.call.caller as ApprovalCaller;
  return (
    <>
      {caller.kind === 'agent' ? 'the agent ' : ''}
      <Untrusted text={caller.name} />
      {chainBehind(caller).map(({ kind, id, name }) => (
        <Fragment key={id}>
          , {kind === 'client' ? 'using' : `for the ${kind}`} <Untrusted text={name} />
        </Fragment>
      ))}
      , via {surfaceOf(caller)}
    </>
  );
}

const ResponsibleMembers = ({ approval: { requestedBy } }: Props) =>
  requestedBy.map(({ id, name }, at) => (
    <Fragment key={id}>
      {at > 0 && ', '}
      <Untrusted text={name ?? 'Former member'} />
    </Fragment>
  ));

/** A link for people who can open the page; plain text for others. */
const OptionalLink = ({ to, may, children }: { to: string; may: boolean; children: ReactNode }) =>
  may ? (
    <Anchor component={Link} to={to} size="sm">
      {children}
    </Anchor>
  ) : (
    children
  );

function ConfigurationName({ approval: { configurationId, call } }: Props) {
  const may = useMay();
  return (
    <OptionalLink to={`/agents/capabilities/configurations/${configurationId}`} may={may('configurations:manage')}>
      <Untrusted text={call.configurationName ?? 'Deleted configuration'} />
    </OptionalLink>
  );
}

const Destination = ({
  connection: { name, destination },
}: {
  connection: NonNullable<Approval['call']['connection']>;
}) => (
  <>
    <Untrusted text={name} />
    {destination.map(({ label, value }) => (
      <div key={label}>
        {label}: <Untrusted text={value} />
      </div>
    ))}
  </>
);

/** The request that led to the call. Approvers who may not see the task learn only that there is one. */
const TaskLink = ({ task }: { task: Approval['task'] }) =>
  task ? (
    <Anchor component={Link} to={`/tasks/${task.id}`} size="sm">
      <Untrusted text={task.question ?? `Task ${task.externalId}`} />
    </Anchor>
  ) : (
    'Part of a task that you may not see'
  );

function Policies({ approval: { configurationId, call } }: Props) {
  const may = useMay();
  return (
    <OptionalLink
      to={`/agents/capabilities/configurations/${configurationId}/policy`}
      may={may('configurations:manage')}
    >
      {call.policyIds.map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}“<Untrusted text={id} />”
        </Fragment>
      ))}
      {call.policyRevision !== null && `, revision ${call.policyRevision}`}
    </OptionalLink>
  );
}

/** The escalation group of the step, before and after the escalation. */
function Escalation({ approval: { state, escalatesAt, escalatedAt, escalationGroupName } }: Props) {
  const group = escalationGroupName ? <Untrusted text={escalationGroupName} /> : 'Administrators';
  if (escalatedAt)
    return (
      <>
        Escalated to {group} at <When at={escalatedAt} /> because no one had decided
      </>
    );
  return state === 'pending' ? (
    <>
      Escalates to {group} at <When at={escalatesAt} /> if no one decides
    </>
  ) : (
    'Not needed'
  );
}

const Approvers = ({ approval: { stepName, tier, approverGroupName, requiresPasskey } }: Props) => (
  <>
    {approverGroupName ? <Untrusted text={approverGroupName} /> : 'Administrators'}: step “{stepName}”,{' '}
    {tierNames[tier]}
    {requiresPasskey && ', with a passkey'}
  </>
);
