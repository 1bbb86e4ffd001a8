import { Alert, Anchor, Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconFileAlert, IconFiles } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { NotFoundPage } from '../../kit/not-found.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { Readers } from './readers.tsx';
import { SourcePermissions } from './source-permissions.tsx';
import { kindNames, stateNames } from './state-names.ts';

const query = graphql(`
  query KnowledgeSource($id: ID!) {
    knowledgeSource(connectionId: $id) {
      connectionId
      state
      completeAt
      nextAt
      expected
      waitReason
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
  { label: 'Source ID', cell: ({ externalId }) => <Untrusted text={externalId} />, isMinor: true },
  { label: 'Type', cell: ({ kind }) => kindNames[kind], width: '7rem' },
  { label: 'Passages', cell: ({ chunkCount }) => count(chunkCount), isFigure: true },
  { label: 'Last modified', cell: ({ updatedAt }) => <When at={updatedAt} />, width: '9rem' },
];

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = useQuery({ query, variables: { id } });
  useChangeEvents(['source', 'connection'], () => again({ requestPolicy: 'network-only' }), id);
  const source = asked.data?.knowledgeSource;
  if (asked.data && !source) return <NotFoundPage />;
  return (
    <Page
      title={source?.connection.name ?? 'Source'}
      heading={source && <Untrusted text={source.connection.name} />}
      trail={[['Knowledge', '/knowledge']]}
    >
      <Loaded asked={asked} again={again}>
        {({ knowledgeSource }) =>
          knowledgeSource && (
            <>
              <About of={knowledgeSource} />
              <SourcePermissions connectionId={id} />
              <Quarantine connectionId={id} />
              <Documents connectionId={id} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const amount = (of: number, what: string) => `${count(of)} ${what}${of === 1 ? '' : 's'}`;

function About({
  of: { connectionId, state, completeAt, nextAt, expected, waitReason, documentCount, passageCount, problemCount, connection },
}: {
  of: Source;
}) {
  const may = useMay();
  const isRestricted = Array.isArray((connection.settings as { groups?: unknown }).groups);
  return (
    <Section title="Details">
      <Facts
        facts={[
          ['Status', <StateBadge key="state" state={state} label={stateNames[state]} />],
          ['Searchable', `${amount(documentCount, 'document')} in ${amount(passageCount, 'passage')}`],
          ['Skipped', problemCount > 0 && count(problemCount)],
          ['In the source', expected !== null && amount(expected, 'document')],
          ['Waiting for the source', waitReason && <Untrusted text={waitReason} />],
          ['Next sync', state !== 'pushed' && state !== 'running' && <When at={nextAt} />],
          ['Last full sync', state !== 'pushed' && <When at={completeAt} />],
          [
            'Readers',
            isRestricted ? 'The groups in its settings' : <Readers connectionId={connectionId} groupIds={null} />,
          ],
          [
            'Sync',
            may('connections:manage') && (
              <Anchor component={Link} to={`/integrations/${connectionId}/sync`} size="sm">
                View sync
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
  const refetch = () => again({ requestPolicy: 'network-only' });
  useChangeEvents('source', refetch, connectionId);
  const documents = asked.data?.quarantinedDocuments ?? [];
  if (!documents.length) return null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconFileAlert aria-hidden />}
      mb="lg"
      title={`${amount(documents.length, 'document')} could not be read`}
    >
      <Text size="sm" mb="sm">
        Two worker processes failed to read each of these documents, so they do not appear in searches. A document is
        read again when its content changes, or with the next sync or upload after you retry it.
      </Text>
      <Stack gap="md">
        {documents.map((document) => (
          <QuarantinedDocument key={document.id} document={document} onRetried={refetch} />
        ))}
      </Stack>
    </Alert>
  );
}

interface QuarantinedDocumentProps {
  document: ResultOf<typeof quarantineQuery>['quarantinedDocuments'][number];
  onRetried(): void;
}

function QuarantinedDocument({ document: { id, externalId, reason, size }, onRetried }: QuarantinedDocumentProps) {
  const retry = useChange(retryDocument, {
    done: 'The next sync or upload reads the document again.',
    isLoud: true,
    onDone: onRetried,
  });
  return (
    <Group justify="space-between" gap="xs">
      <Box flex="1 1 16rem">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          <Untrusted text={externalId} />
        </Text>
        <Text size="sm">
          It {reason}. Size: {count(size)} bytes.
        </Text>
      </Box>
      <Button
        size="xs"
        variant="default"
        aria-label={`Retry document ${visible(externalId)}`}
        loading={retry.isSending}
        onClick={() => void retry.send({ id })}
      >
        Retry document
      </Button>
    </Group>
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
          <Empty icon={IconFiles} title="No documents yet">
            Documents appear as they are indexed.
          </Empty>
        }
      />
    </section>
  );
}
