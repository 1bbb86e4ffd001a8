import { Anchor, Badge, Group, Paper, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Disclosure } from '../../kit/disclosure.tsx';
import { percent } from '../../kit/figures.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import './hit.css';
import { type Piece, pieces } from './highlighted.ts';
import { Readers } from './readers.tsx';
import type { Passage, SearchResult } from './search-query.ts';
import { kindNames } from './state-names.ts';
import { isWebAddress } from './web-link.tsx';

interface Props {
  /** The number of the citation. */
  number: number;
  passage: Passage;
  /** The terms of the query explain the rank of a found passage. */
  terms?: SearchResult['terms'];
  /** The number of the passage that names the document. */
  namedIn?: number;
  /** Ids of the groups whose access is used, from the query parameter. */
  as: string | null;
}

const figure = (value: number) => value.toFixed(2);

/** A passage that a search found, or that a found one names. */
export const Hit = ({ number, passage, terms, namedIn, as }: Props) => (
  <Paper p="md" component="article">
    <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
      <div>
        <Title order={namedIn ? 3 : 2} size="h3">
          <DocumentLink of={passage} number={number} as={as} />
        </Title>
        <Location of={passage} />
      </div>
      {namedIn ? (
        <Text size="xs" c="dimmed" ta="end" miw="5.5rem">
          Named in result {namedIn}
        </Text>
      ) : (
        <Text size="sm" className="figures" ta="end" miw="5.5rem">
          {figure(passage.relevance)}
          <Text span display="block" size="xs" c="dimmed">
            {percent(passage.coverage)} of terms
          </Text>
        </Text>
      )}
    </Group>
    <Text size="sm" my="xs" className="snippet">
      {pieces(passage.snippet, passage.highlights).map((piece, at) => (
        <SnippetPiece key={at} of={piece} />
      ))}
    </Text>
    {passage.duplicates.length > 0 && <Duplicates of={passage} />}
    <Group gap="lg" align="flex-start">
      {terms && (
        <Disclosure label="Ranking details">
          <RankingDetails of={passage} terms={terms} />
        </Disclosure>
      )}
      {passage.document && (
        <Disclosure label="Readers">
          <Readers connectionId={passage.document.connectionId} groupIds={passage.document.groupIds} />
        </Disclosure>
      )}
      {isWebAddress(passage.url) && (
        <Anchor href={passage.url} target="_blank" rel="noreferrer" size="sm">
          Open in source
        </Anchor>
      )}
    </Group>
  </Paper>
);

function SnippetPiece({ of: { text, isMatch, isEllipsis } }: { of: Piece }) {
  if (isEllipsis) return text;
  return isMatch ? (
    <strong>
      <Untrusted text={text} />
    </strong>
  ) : (
    <Untrusted text={text} />
  );
}

function DocumentLink({
  of: { document, documentId, title },
  number,
  as,
}: { of: Passage } & Pick<Props, 'number' | 'as'>) {
  const text = (
    <>
      {number}. <Untrusted text={title} />
    </>
  );
  if (!document) return text;
  const seenAs = as ? `?${new URLSearchParams({ as })}` : '';
  return (
    // without "inherit", a finger can press it
    <Anchor
      component={Link}
      to={`/knowledge/${document.connectionId}/documents/${documentId}${seenAs}`}
      fz="inherit"
      fw="inherit"
      lh="inherit"
    >
      {text}
    </Anchor>
  );
}

const Duplicates = ({ of: { duplicates } }: { of: Passage }) => (
  <Text size="xs" c="dimmed" mb="xs">
    Almost the same text in:{' '}
    {duplicates.map(({ chunkId, title, source }, at) => (
      <span key={chunkId}>
        {at > 0 && ', '}
        <Untrusted text={title} /> ({source})
      </span>
    ))}
  </Text>
);

const Location = ({ of: { kind, source, container, author, heading, position, updatedAt } }: { of: Passage }) => (
  <Group gap={8} mt={2}>
    <Badge color="gray">{kindNames[kind]}</Badge>
    <Text size="xs" c="dimmed">
      {source}
      {[container, heading].map(
        (part, at) =>
          part && (
            <span key={at}>
              {' › '}
              <Untrusted text={part} />
            </span>
          ),
      )}
      {' · '}
      <Untrusted text={position} />
      {author && (
        <>
          {' · '}
          <Untrusted text={author} />
        </>
      )}
      {updatedAt && (
        <>
          {' · modified '}
          <When at={updatedAt} />
        </>
      )}
    </Text>
  </Group>
);

/** The other factors of the order, or an empty text. */
function signals({ score, coverage, similarity, freshness, authority }: Passage): string {
  const parts = [
    coverage < 1 ? `${percent(coverage)} of terms found` : null,
    similarity === null ? null : `similarity to the query ${figure(similarity)}`,
    freshness < 1 ? `age × ${figure(freshness)}` : null,
    authority < 1 ? `draft or superseded × ${figure(authority)}` : null,
  ].filter(Boolean);
  return parts.length ? ` Also ranked by: ${parts.join(', ')}; terms alone score ${figure(score)}.` : '';
}

/** The contribution of each term to the score. */
function RankingDetails({ of: passage, terms }: { of: Passage; terms: SearchResult['terms'] }) {
  const { why, score } = passage;
  const missing = terms.filter(({ term }) => !why.some((match) => match.term === term));
  return (
    <Stack gap={6} mt="xs">
      <Table withTableBorder aria-label="Score by term" maw="34rem">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Term</Table.Th>
            <Table.Th ta="end">Weight</Table.Th>
            <Table.Th ta="end">Rarity</Table.Th>
            <Table.Th ta="end">Score</Table.Th>
            <Table.Th w="30%" visibleFrom="xs">
              Share
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {why.map(({ term, weight, idf, score: added }) => (
            <Table.Tr key={term}>
              <Table.Td>
                <Untrusted text={term} />
              </Table.Td>
              <Table.Td ta="end">{weight}</Table.Td>
              <Table.Td ta="end">{figure(idf)}</Table.Td>
              <Table.Td ta="end">{figure(added)}</Table.Td>
              <Table.Td visibleFrom="xs">
                <Progress value={(added / score) * 100} size="sm" aria-label={`Share of ${term}`} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        Weight is the number of occurrences: headings count twice, titles three times. Terms that are rare in the
        documents that the reader may see score higher. Long passages score slightly lower.{signals(passage)}
        {missing.length > 0 && ` Missing terms: ${missing.map(({ term }) => term).join(', ')}.`}
      </Text>
    </Stack>
  );
}
