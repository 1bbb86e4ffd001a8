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
import { EventFields } from './event-fields.tsx';
import { type AuditEvent, eventQuery } from './event-query.ts';
import { EventSummary } from './event-summary.tsx';
import { capitalizedName, eventTypeName } from './labels.ts';

/** One event with everything that was recorded. */
export function Component() {
  const { id } = useParams();
  const [result, refetch] = useQuery({ query: eventQuery, variables: { id: id! } });
  return (
    <Loaded result={result} refetch={refetch}>
      {({ auditEvent }) => (
        <Page
          title={eventTypeName(auditEvent.kind)}
          heading={<Untrusted text={eventTypeName(auditEvent.kind)} />}
          trail={[['Audit log', '/audit']]}
        >
          <EventDetails event={auditEvent} />
        </Page>
      )}
    </Loaded>
  );
}

function EventDetails({ event }: { event: AuditEvent }) {
  const { changes, facts } = changesOf(event.kind, event.detail as Record<string, unknown>);
  return (
    <>
      <Section title="Summary">
        <EventSummary event={event} />
      </Section>
      {changes.length > 0 && <Changes changes={changes} />}
      {Object.keys(facts).length > 0 && (
        <Section title="Details" lead="Secrets are never recorded. For arguments, only their shape is recorded.">
          <EventFields facts={facts} kind={event.kind} />
        </Section>
      )}
      <Section title="Raw event">
        <Disclosure label="Show JSON" openLabel="Hide JSON">
          <Box pt="sm">
            <Snippet text={JSON.stringify(rawEvent(event), null, 2)} label="JSON" />
          </Box>
        </Disclosure>
      </Section>
    </>
  );
}

const Changes = ({ changes }: { changes: readonly FieldChange[] }) => (
  <Section title="Changes">
    {changes.map(({ field, before, now }) => (
      <Fragment key={field}>
        {field && (
          <Title order={3} mt="sm" mb={4}>
            <Untrusted text={capitalizedName(field)} />
          </Title>
        )}
        <TextDifference before={before} now={now} heads={['Before', 'After']} />
      </Fragment>
    ))}
  </Section>
);

/** The same fields as a line of the export. */
const rawEvent = ({ id, at, kind, actor, subject, detail, requestId }: AuditEvent) => ({
  id,
  at,
  kind,
  actor,
  subject,
  detail,
  requestId,
});
