import { Anchor, Badge, Group, Paper, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import type { ResultOf } from '../../api/graphql.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { percent } from '../../kit/figures.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import './hit.css';
import { type Piece, pieces } from './highlighted.ts';
import { Readers } from './readers.tsx';
import type { searchQuery } from './search-query.ts';
import { kindNames } from './state-names.ts';

type Found = ResultOf<typeof searchQuery>['searchKnowledge'];
type Passage = Found['passages'][number];

interface Props {
  /** 1 is the best. */
  rank: number;
  passage: Passage;
  sought: Found['terms'];
  /** Groups whose eyes it is seen with, as the address has them. */
  as: string | null;
}

const figure = (value: number) => value.toFixed(2);

export const Hit = ({ rank, passage, sought, as }: Props) => (
  <Paper p="md" component="article">
    <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
      <div>
        <Title order={2} size="h3">
          {rank}. <DocumentLink of={passage} as={as} />
        </Title>
        <Where of={passage} />
      </div>
      <Text size="sm" className="figures" ta="end" miw="5.5rem">
        {figure(passage.score)}
        <Text span display="block" size="xs" c="dimmed">
          {percent(passage.coverage)} met
        </Text>
      </Text>
    </Group>
    <Text size="sm" my="xs" className="snippet">
      {pieces(passage.snippet, passage.highlights).map((piece, at) => (
        <SnippetPiece key={at} of={piece} />
      ))}
    </Text>
    <Group gap="lg" align="flex-start">
      <Disclosure label="Why it ranks here">
        <Why of={passage} sought={sought} />
      </Disclosure>
      {passage.document && (
        <Disclosure label="Who may see it">
          <Readers connectionId={passage.document.connectionId} groupIds={passage.document.groupIds} />
        </Disclosure>
      )}
    </Group>
  </Paper>
);

function SnippetPiece({ of: { text, isFound, isCut } }: { of: Piece }) {
  if (isCut) return text;
  return isFound ? (
    <strong>
      <Untrusted text={text} />
    </strong>
  ) : (
    <Untrusted text={text} />
  );
}

function DocumentLink({ of: { document, documentId, title }, as }: { of: Passage; as: string | null }) {
  if (!document) return <Untrusted text={title} />;
  const seenAs = as ? `?${new URLSearchParams({ as })}` : '';
  return (
    <Anchor component={Link} to={`/knowledge/${document.connectionId}/documents/${documentId}${seenAs}`} inherit>
      <Untrusted text={title} />
    </Anchor>
  );
}

const Where = ({ of: { kind, source, heading, position, updatedAt } }: { of: Passage }) => (
  <Group gap={8} mt={2}>
    <Badge color="gray">{kindNames[kind]}</Badge>
    <Text size="xs" c="dimmed">
      {source}
      {heading && (
        <>
          {' › '}
          <Untrusted text={heading} />
        </>
      )}
      {` · ${position}`}
      {updatedAt && (
        <>
          {' · changed '}
          <When at={updatedAt} />
        </>
      )}
    </Text>
  </Group>
);

/** What each word adds to the score; words that it lacks add nothing. */
function Why({ of: { why, score }, sought }: { of: Passage; sought: Found['terms'] }) {
  const lacking = sought.filter(({ term }) => !why.some((each) => each.term === term));
  return (
    <Stack gap={6} mt="xs">
      <Table withTableBorder aria-label="What each word adds" maw="34rem">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Word</Table.Th>
            <Table.Th ta="end">Here</Table.Th>
            <Table.Th ta="end">Rarity</Table.Th>
            <Table.Th ta="end">Adds</Table.Th>
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
        “Here” counts how often; in headings twice, in the title three times. The rarer a word is in all that the reader
        may see, the more it adds; long passages count a little less.
        {lacking.length > 0 && ` It lacks: ${lacking.map(({ term }) => term).join(', ')}.`}
      </Text>
    </Stack>
  );
}
