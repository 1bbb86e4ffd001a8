import { Anchor, Code } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { CopyText } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import { chainBehind, inChain, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { Actor, AuditEvent, Subject } from './event-query.ts';
import { RecordLink } from './record-link.tsx';
import { capitalizedName } from './labels.ts';

/** The facts that every event has: when, who, what, and on which record. */
export const EventSummary = ({ event }: { event: AuditEvent }) => (
  <Facts
    facts={[
      ['When', <When key="when" at={event.at} />],
      ['Actor', <ActorDetails key="by" actor={event.actor as Actor} />],
      ['Subject', event.subject != null && <SubjectDetails subject={event.subject as Subject} kind={event.kind} />],
      [
        'Event type',
        <Code key="kind">
          <Untrusted text={event.kind} />
        </Code>,
      ],
      ['Event ID', <CopyText key="id" value={event.id} what="event ID" />],
      ['Request ID', event.requestId && <CopyText key="request" value={event.requestId} what="request ID" />],
    ]}
  />
);

function ActorDetails({ actor }: { actor: Actor }) {
  const { kind, name, memberId, agentId } = actor;
  const id = memberId ?? agentId;
  return (
    <>
      {kind !== 'system' && `${capitalizedName(kind)} `}
      {id ? <RecordLink type={kind} id={id} name={name} /> : <Untrusted text={name} />}
      {chainBehind(actor).map((link) => (
        <Fragment key={link.id}>
          , {inChain(link.kind)} <RecordLink type={link.kind} id={link.id} name={link.name} />
        </Fragment>
      ))}
      , via {surfaceOf(actor)}
      {id && (
        <>
          {' · '}
          <Anchor component={Link} to={`/audit?actor=${id}`} inherit underline="always">
            View all events by this actor
          </Anchor>
        </>
      )}
    </>
  );
}

const SubjectDetails = ({ subject: { type, id, name }, kind }: { subject: Subject; kind: string }) => (
  <>
    {capitalizedName(type)} <RecordLink type={type} id={id} name={name} hasNoPage={kind.endsWith('.removed')} />
    {' · '}
    <Anchor component={Link} to={`/audit?subject=${id}`} inherit underline="always">
      View all events on this subject
    </Anchor>
  </>
);
