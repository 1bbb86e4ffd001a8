import { Anchor, Button, Title } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { SearchBox } from './search-box.tsx';
import { stateNames } from './state-names.ts';

const query = graphql(`
  query KnowledgeSources {
    knowledgeSources {
      connectionId
      state
      completeAt
      nextAt
      expected
      documentCount
      passageCount
      problemCount
      connection {
        id
        name
        pausedAt
      }
    }
    embeddingStatus {
      connectionId
      model
      embeddedDocuments
      documents
      failure
      tokensThisMonth
    }
  }
`);

type Source = ResultOf<typeof query>['knowledgeSources'][number];
type Status = NonNullable<ResultOf<typeof query>['embeddingStatus']>;

const documentsOf = ({ documentCount, expected }: Source) =>
  expected === null ? count(documentCount) : `${count(documentCount)} of ${count(expected)}`;

const columns: Column<Source>[] = [
  { label: 'Source', cell: ({ connection }) => <Untrusted text={connection.name} />, width: '34%' },
  {
    label: 'Status',
    cell: ({ state, connection }) =>
      connection.pausedAt ? (
        <StateBadge state="paused" label="Paused" />
      ) : (
        <StateBadge state={state} label={stateNames[state]} />
      ),
  },
  { label: 'Documents', cell: documentsOf, isFigure: true },
  { label: 'Passages', cell: ({ passageCount }) => count(passageCount), isFigure: true },
  { label: 'Skipped', cell: ({ problemCount }) => count(problemCount), isFigure: true },
  { label: 'Last full sync', cell: ({ completeAt }) => <When at={completeAt} /> },
  { label: 'Next sync', cell: ({ nextAt }) => <When at={nextAt} />, isMinor: true },
];

export function Component() {
  const [result, refetch] = useQuery({ query });
  useChangeEvents(['source', 'connection'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Page
      title="Knowledge"
      lead="Documents that agents and assistants search. Each reader finds only documents that they may see."
    >
      <SearchBox />
      <Title order={2} mb="xs">
        Sources
      </Title>
      <Loaded result={result} refetch={refetch}>
        {({ knowledgeSources, embeddingStatus }) => (
          <>
            <Rows
              label="Sources"
              pages={singlePage(knowledgeSources)}
              columns={columns}
              keyOf={({ connectionId }) => connectionId}
              to={({ connectionId }) => `/knowledge/${connectionId}`}
              empty={<NoSource />}
            />
            {embeddingStatus && <SearchByMeaning status={embeddingStatus} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const SearchByMeaning = ({ status }: { status: Status }) => (
  <Section title="Search by meaning">
    <Facts
      facts={[
        [
          'Model',
          <Anchor key="model" component={Link} to={`/integrations/${status.connectionId}`} inherit>
            <Untrusted text={status.model} />
          </Anchor>,
        ],
        ['Documents with vectors', `${count(status.embeddedDocuments)} of ${count(status.documents)}`],
        ['Tokens this month', count(status.tokensThisMonth)],
        ['Last attempt failed', status.failure],
      ]}
    />
  </Section>
);

const NoSource = () => (
  <Empty
    icon={IconBook2}
    title="No sources yet"
    action={
      <Button component={Link} to="/integrations/new" variant="light">
        Add integration
      </Button>
    }
  >
    Connect a folder or a document system, or upload documents from your own programs.
  </Empty>
);
