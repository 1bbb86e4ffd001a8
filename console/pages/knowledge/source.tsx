import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { useMay } from '../../app/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { Readers } from './readers.tsx';
import { kindNames, stateNames } from './state-names.ts';

const query = graphql(`
  query KnowledgeSource($id: ID!) {
    knowledgeSource(connectionId: $id) {
      connectionId
      state
      completeAt
      documentCount
      passageCount
      problemCount
      connection {
        id
        name
        settings
      }
    }
  }
`);
const documentsQuery = graphql(`
  query KnowledgeDocuments($connectionId: ID!, $first: Int!, $after: String) {
    knowledgeDocuments(connectionId: $connectionId, first: $first, after: $after) {
      nodes {
        id
        title
        externalId
        kind
        chunkCount
        updatedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const quarantineQuery = graphql(`
  query QuarantinedDocuments($connectionId: ID!) {
    quarantinedDocuments(connectionId: $connectionId) {
      id
      externalId
      size
      reason
    }
  }
`);
const retryDocument = graphql(`
  mutation RetryQuarantinedDocument($id: ID!) {
    retryQuarantinedDocument(input: { id: $id }) {
      id
    }
  }
`);

type Source = NonNullable<ResultOf<typeof query>['knowledgeSource']>;
type Document = ResultOf<typeof documentsQuery>['knowledgeDocuments']['nodes'][number];

const columns: Column<Document>[] = [
  { label: 'Title', cell: ({ title }) => <Untrusted text={title} />, width: '36%' },
  { label: 'Name there', cell: ({ externalId }) => <Untrusted text={externalId} />, isMinor: true },
  { label: 'Kind', cell: ({ kind }) => kindNames[kind], width: '7rem' },
  { label: 'Passages', cell: ({ chunkCount }) => count(chunkCount), isFigure: true },
  { label: 'Changed', cell: ({ updatedAt }) => <When at={updatedAt} />, width: '9rem' },
];

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = useQuery({ query, variables: { id } });
  useNews(['source', 'connection'], () => again({ requestPolicy: 'network-only' }), id);
  const source = asked.data?.knowledgeSource;
  return (
    <Page
      title={source?.connection.name ?? 'Source'}
      heading={source && <Untrusted text={source.connection.name} />}
      trail={[['Knowledge', '/knowledge']]}
    >
      <Loaded asked={asked} again={again}>
        {({ knowledgeSource }) =>
          knowledgeSource ? (
            <>
              <About of={knowledgeSource} />
              <Quarantine connectionId={id} />
              <Documents connectionId={id} />
            </>
          ) : (
            <Empty icon={IconFiles} title="This is no source of knowledge">
              It may have been removed, or nothing was read from it yet.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

function About({
  of: { connectionId, state, completeAt, documentCount, passageCount, problemCount, connection },
}: {
  of: Source;
}) {
  const may = useMay();
  const isRestricted = Array.isArray((connection.settings as { groups?: unknown }).groups);
  return (
    <Section title="About it">
      <Facts
        facts={[
          ['State', <StateBadge key="state" state={state} label={stateNames[state]} />],
          ['Can be found', `${count(documentCount)} documents in ${count(passageCount)} passages`],
          ['Left out', problemCount > 0 && count(problemCount)],
          ['Read to the end', state !== 'pushed' && <When at={completeAt} />],
          [
            'Who may see it',
            isRestricted ? (
              'the groups that its settings name'
            ) : (
              <Readers connectionId={connectionId} groupIds={null} />
            ),
          ],
          [
            'Reading',
            may('connections:manage') && (
              <Anchor component={Link} to={`/integrations/${connectionId}/sync`} inherit>
                Progress, errors, synchronize now
              </Anchor>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function Quarantine({ connectionId }: { connectionId: string }) {
  const [asked, again] = useQuery({ query: quarantineQuery, variables: { connectionId } });
  useNews('source', () => again({ requestPolicy: 'network-only' }), connectionId);
  const retry = useChange(retryDocument, {
    done: 'The next sync or push reads the document again.',
    isLoud: true,
    onDone: () => again({ requestPolicy: 'network-only' }),
  });
  const documents = asked.data?.quarantinedDocuments ?? [];
  if (!documents.length) return null;
  return (
    <Alert color="red" variant="light" mb="lg" title="Quarantined documents">
      <Text size="sm" mb="sm">
        Reading each of them ended two worker processes. They are read again when their content changes.
      </Text>
      <Stack gap="xs">
        {documents.map(({ id, externalId, reason, size }) => (
          <Group key={id} justify="space-between">
            <Text size="sm">
              <Untrusted text={externalId} /> ({count(size)} bytes) {reason}
            </Text>
            <Button size="xs" variant="default" loading={retry.isSending} onClick={() => void retry.send({ id })}>
              Retry document
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

function Documents({ connectionId }: { connectionId: string }) {
  const pages = usePages({
    query: documentsQuery,
    variables: { connectionId },
    pick: ({ knowledgeDocuments }) => knowledgeDocuments,
    news: 'source',
  });
  return (
    <section aria-label="Documents">
      <Title order={2} mb="xs">
        Documents
      </Title>
      <Rows
        label="Documents"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/knowledge/${connectionId}/documents/${id}`}
        empty={
          <Empty icon={IconFiles} title="No document yet">
            They appear as they are read.
          </Empty>
        }
      />
    </section>
  );
}
