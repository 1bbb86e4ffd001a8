import { Group, MultiSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { useId } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { ChoiceFilter, SearchFilter } from '../../kit/filters.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { visible } from '../../kit/visible.ts';
import { Hit } from './hit.tsx';
import { useReaders } from './readers.tsx';
import { SearchBox } from './search-box.tsx';
import { type SearchResult, searchQuery } from './search-query.ts';
import { kindNames } from './state-names.ts';

const sourcesQuery = graphql(`
  query SearchedSources {
    knowledgeSources {
      connectionId
      connection {
        id
        name
      }
    }
  }
`);

type DocumentKind = keyof typeof kindNames;

export function Component() {
  const [query] = useFilter('q');
  return (
    <Page
      title="Search knowledge"
      lead="Preview what agents find, and why results rank as they do."
      trail={[['Knowledge', '/knowledge']]}
    >
      <SearchBox key={query} />
      <Filters />
      {query && <Results query={query} />}
    </Page>
  );
}

function Filters() {
  const [{ data }] = useQuery({ query: sourcesQuery });
  const sources = data?.knowledgeSources.map(({ connectionId: value, connection: { name } }) => ({
    value,
    label: visible(name),
  }));
  return (
    <Group mb="lg" align="flex-end">
      <ChoiceFilter name="in" label="All sources" data={sources ?? []} />
      <ChoiceFilter
        name="kind"
        label="All types"
        data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
      />
      <SearchFilter name="container" label="Project, space or channel" />
      <SearchFilter name="author" label="Author" />
      <ChoiceFilter
        name="changed"
        label="Changed at any time"
        data={Object.entries(periods).map(([value, { label }]) => ({ value, label }))}
      />
      <AsGroups />
    </Group>
  );
}

const periods: Record<string, { label: string; days: number }> = {
  month: { label: 'Changed in the last 30 days', days: 30 },
  quarter: { label: 'Changed in the last 90 days', days: 90 },
  year: { label: 'Changed in the last year', days: 365 },
};
const dayMs = 86_400_000;

/** The start of a day (UTC), so that the variables of the query do not change with every render. */
function changedSince(period: string | null): string | null {
  const days = period ? periods[period]?.days : undefined;
  return days ? new Date((Math.floor(Date.now() / dayMs) - days) * dayMs).toISOString() : null;
}

/** The groups whose access is used. */
function AsGroups() {
  const [{ data }] = useReaders();
  const [as, setAs] = useFilter('as');
  return (
    <MultiSelect
      aria-label="Search as groups (recorded)"
      placeholder={as ? undefined : 'My groups'}
      description={as ? 'Results for these groups. This access is recorded in the audit log.' : undefined}
      data={data?.groups.nodes.map(({ id: value, name }) => ({ value, label: visible(name) })) ?? []}
      value={as?.split(',') ?? []}
      onChange={(ids) => setAs(ids.join(',') || null)}
      clearable
      clearButtonProps={{ 'aria-label': 'My groups' }}
      w={{ base: '100%', xs: undefined }}
      miw="14rem"
    />
  );
}

function Results({ query }: { query: string }) {
  const [connectionId] = useFilter('in');
  const [kind] = useFilter('kind');
  const [container] = useFilter('container');
  const [author] = useFilter('author');
  const [changed] = useFilter('changed');
  const [as] = useFilter('as');
  const [result, refetch] = useQuery({
    query: searchQuery,
    // access as other groups is recorded each time: fetch once
    requestPolicy: 'cache-first',
    variables: {
      input: {
        query,
        limit: 20,
        connectionIds: connectionId ? [connectionId] : null,
        kind: kind && kind in kindNames ? (kind as DocumentKind) : null,
        container,
        author,
        changedSince: changedSince(changed),
        asGroups: as?.split(',') ?? null,
      },
    },
  });
  return (
    <Loaded result={result} refetch={refetch}>
      {({ searchKnowledge: found }) => (
        <Stack gap="md">
          <SearchSummary in={found} />
          {found.passages.map((passage, at) => (
            <Hit key={passage.chunkId} number={at + 1} passage={passage} terms={found.terms} as={as} />
          ))}
          {found.linked.length > 0 && <LinkedDocuments in={found} as={as} />}
          {!found.passages.length && (
            <Empty icon={IconSearchOff} title="No results">
              Try other words, or check that these readers may use the source.
            </Empty>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function LinkedDocuments({ in: { passages, linked }, as }: { in: SearchResult; as: string | null }) {
  const id = useId();
  return (
    <Stack component="section" gap="md" aria-labelledby={id}>
      <div>
        <Title order={2} id={id}>
          Linked documents
        </Title>
        <Text size="sm" c="dimmed" mt={2}>
          Tickets and pages that the results name. Agents read them, too.
        </Text>
      </div>
      {linked.map((passage, at) => (
        <Hit
          key={passage.chunkId}
          number={passages.length + at + 1}
          passage={passage}
          namedIn={passages.findIndex(({ chunkId }) => chunkId === passage.linkedFrom) + 1}
          as={as}
        />
      ))}
    </Stack>
  );
}

const meaningNotes: Record<SearchResult['meaning'], string> = {
  off: '',
  used: 'Also searched by meaning.',
  unavailable: 'The embedding model is unavailable, so search used words alone.',
};

const SearchSummary = ({ in: { documents, sources, terms, meaning } }: { in: SearchResult }) => (
  <Paper p="md" component="section" aria-label="Search summary">
    <Text size="sm">
      Searched {count(documents)} {documents === 1 ? 'document' : 'documents'} from {count(sources)}{' '}
      {sources === 1 ? 'source' : 'sources'} that the reader may see. {meaningNotes[meaning]} Stemmed search terms:
    </Text>
    <Group gap="xs" mt={6} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {terms.map(({ term, passages }) => (
        <Text key={term} component="li" size="sm">
          <b>{visible(term)}</b>{' '}
          <Text span inherit c="dimmed">
            {passages ? `in ${count(passages)} ${passages === 1 ? 'passage' : 'passages'}` : 'no matches'}
          </Text>
        </Text>
      ))}
    </Group>
  </Paper>
);
