import { Box, Title } from '@mantine/core';
import { Fragment } from 'react';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { Snippet } from '../../kit/copy.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { TextDifference } from '../../kit/text-difference.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { changesOf, type FieldChange } from './changes.ts';
import { Detail } from './detail.tsx';
import { type AuditEvent, eventQuery } from './event-query.ts';
import { FactsOfEvent } from './facts-of-event.tsx';
import { heading, kindInWords } from './words.ts';

/** One event in full: nothing that was recorded is left out. */
export function Component() {
  const { id } = useParams();
  const [asked, again] = useQuery({ query: eventQuery, variables: { id: id! } });
  return (
    <Loaded asked={asked} again={again}>
      {({ auditEvent }) => (
        <Page
          title={kindInWords(auditEvent.kind)}
          heading={<Untrusted text={kindInWords(auditEvent.kind)} />}
          trail={[['Audit', '/audit']]}
        >
          <InFull event={auditEvent} />
        </Page>
      )}
    </Loaded>
  );
}

function InFull({ event }: { event: AuditEvent }) {
  const { changes, facts } = changesOf(event.kind, event.detail as Record<string, unknown>);
  return (
    <>
      <Section title="What happened">
        <FactsOfEvent event={event} />
      </Section>
      {changes.length > 0 && <Changes changes={changes} />}
      {Object.keys(facts).length > 0 && (
        <Section title="Details" lead="Secrets are never recorded, and of arguments only their shape.">
          <Detail facts={facts} kind={event.kind} />
        </Section>
      )}
      <Section title="As it is recorded">
        <Disclosure label="Show the JSON" openLabel="Hide the JSON">
          <Box pt="sm">
            <Snippet text={JSON.stringify(recorded(event), null, 2)} label="JSON" />
          </Box>
        </Disclosure>
      </Section>
    </>
  );
}

const Changes = ({ changes }: { changes: readonly FieldChange[] }) => (
  <Section title="What changed">
    {changes.map(({ field, before, now }) => (
      <Fragment key={field}>
        {field && (
          <Title order={3} mt="sm" mb={4}>
            <Untrusted text={heading(field)} />
          </Title>
        )}
        <TextDifference before={before} now={now} heads={['As it was', 'As it is since']} />
      </Fragment>
    ))}
  </Section>
);

/** As a line of the export has it. */
const recorded = ({ id, at, kind, actor, subject, detail, requestId }: AuditEvent) => ({
  id,
  at,
  kind,
  actor,
  subject,
  detail,
  requestId,
});
