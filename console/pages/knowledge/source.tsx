import { Anchor, Title } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
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
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { Quarantine } from './quarantine.tsx';
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

type Source = NonNullable<ResultOf<typeof query>['knowledgeSource']>;
type Document = ResultOf<typeof documentsQuery>['knowledgeDocuments']['nodes'][number];

const amount = (of: number, what: string) => `${count(of)} ${what}${of === 1 ? '' : 's'}`;

const columns: Column<Document>[] = [
  { label: 'Title', cell: ({ title }) => <Untrusted text={title} />, width: '36%' },
  { label: 'Source ID', cell: ({ externalId }) => <Untrusted text={externalId} />, isMinor: true },
  { label: 'Type', cell: ({ kind }) => kindNames[kind], width: '7rem' },
  { label: 'Passages', cell: ({ chunkCount }) => count(chunkCount), isFigure: true },
  { label: 'Last modified', cell: ({ updatedAt }) => <When at={updatedAt} />, width: '9rem' },
];

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents(['source', 'connection'], () => refetch({ requestPolicy: 'network-only' }), id);
  const source = result.data?.knowledgeSource;
  if (result.data && !source) return <NotFoundPage />;
  return (
    <Page
      title={source?.connection.name ?? 'Source'}
      heading={source && <Untrusted text={source.connection.name} />}
      trail={[['Knowledge', '/knowledge']]}
    >
      <Loaded result={result} refetch={refetch}>
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

function About({
  of: {
    connectionId,
    state,
    completeAt,
    nextAt,
    expected,
    waitReason,
    documentCount,
    passageCount,
    problemCount,
    connection,
  },
}: {
  of: Source;
}) {
  const may = useMay();
  const { groups } = connection.settings as { groups?: unknown };
  const isRestricted = Array.isArray(groups) && groups.length > 0; // an empty list is no restriction
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
