import { Anchor, Code, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { CopyText } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import { inChain, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { Actor, AuditEvent, Subject } from './event-query.ts';
import { Thing } from './places.tsx';
import { inWords } from './words.ts';

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });

/** When, who, what and to what: of every event. */
export const FactsOfEvent = ({ event }: { event: AuditEvent }) => (
  <Facts
    facts={[
      [
        'When',
        <Fragment key="when">
          {exact.format(new Date(event.at))}{' '}
          <Text span inherit c="dimmed">
            (<When at={event.at} />)
          </Text>
        </Fragment>,
      ],
      ['By', <By key="by" actor={event.actor as Actor} />],
      ['About', event.subject != null && <About subject={event.subject as Subject} kind={event.kind} />],
      [
        'Kind',
        <Code key="kind">
          <Untrusted text={event.kind} />
        </Code>,
      ],
      ['Id', <CopyText key="id" value={event.id} what="the event's id" />],
      ['Request', event.requestId && <CopyText key="request" value={event.requestId} what="the id of the request" />],
    ]}
  />
);

function By({ actor }: { actor: Actor }) {
  const { kind, name, memberId, agentId, chain = [] } = actor;
  const id = memberId ?? agentId;
  return (
    <>
      {kind !== 'system' && `the ${kind} `}
      {id ? <Thing type={kind} id={id} name={name} /> : <Untrusted text={name} />}
      {chain.map((link) => (
        <Fragment key={link.id}>
          , {inChain(link.kind)} <Thing type={link.kind} id={link.id} name={link.name} />
        </Fragment>
      ))}
      , through {surfaceOf(actor)}
      {id && (
        <>
          {' · '}
          <Anchor component={Link} to={`/audit?actor=${id}`} inherit underline="always">
            everything by them
          </Anchor>
        </>
      )}
    </>
  );
}

const About = ({ subject: { type, id, name }, kind }: { subject: Subject; kind: string }) => (
  <>
    the {inWords(type)} <Thing type={type} id={id} name={name} isNowhere={kind.endsWith('.removed')} />
    {' · '}
    <Anchor component={Link} to={`/audit?subject=${id}`} inherit underline="always">
      everything about it
    </Anchor>
  </>
);
