import { Button, Group, Modal, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../../kit/me.tsx';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { TextDifference } from '../../../kit/text-difference.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { When } from '../../../kit/when.tsx';
import type { Policy } from './policy-query.ts';
import { Publish } from './publish.tsx';

const query = graphql(`
  query PolicyRevisions($id: ID!, $first: Int!, $after: String) {
    policyRevisions(configurationId: $id, first: $first, after: $after) {
      nodes {
        revision
        text
        publisher
        publishedAt
        note
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type Revision = ResultOf<typeof query>['policyRevisions']['nodes'][number];

interface Props {
  configurationId: string;
  policy: Policy;
}

/** All published revisions, newest first. */
export function Revisions({ configurationId, policy: { current } }: Props) {
  const mayManage = useMay()('policies:manage');
  const variables = { id: configurationId };
  const pages = usePages({ query, variables, pick: ({ policyRevisions }) => policyRevisions, news: 'policy' });
  const [compared, compare] = useState<Revision | null>(null);
  const [restored, restore] = useState<Revision | null>(null);
  const columns = columnsOf({ current, onCompare: compare, onRestore: mayManage ? restore : undefined });
  return (
    <section aria-labelledby="revisions">
      <Title order={2} id="revisions">
        Revisions
      </Title>
      <Text size="sm" c="dimmed" mt={2} mb="sm">
        All published versions. Revisions are never changed.
      </Text>
      <Rows label="Revisions" pages={pages} columns={columns} keyOf={({ revision }) => String(revision)} empty={null} />
      <Modal
        opened={compared !== null}
        onClose={() => compare(null)}
        title={`Compare revision ${compared?.revision} with the live revision`}
        size="xl"
      >
        {compared && current && (
          <TextDifference
            before={compared.text}
            now={current.text}
            heads={[`Revision ${compared.revision}`, `Revision ${current.revision} (live)`]}
          />
        )}
      </Modal>
      {restored && current && (
        <Publish
          configurationId={configurationId}
          current={current}
          text={restored.text}
          basedOn={current.revision}
          title={`Roll back to revision ${restored.revision}?`}
          initialNote={`Roll back to revision ${restored.revision}`}
          opened
          onClose={() => restore(null)}
          onPublished={pages.refetch}
        />
      )}
    </section>
  );
}

interface ColumnOptions {
  current: Policy['current'];
  onCompare(revision: Revision): void;
  onRestore?(revision: Revision): void;
}

const columnsOf = ({ current, onCompare, onRestore }: ColumnOptions): Column<Revision>[] => [
  {
    label: 'Revision',
    cell: ({ revision }) => (
      <Group gap="xs">
        {revision}
        {revision === current?.revision && <StateBadge state="active" label="Live" />}
      </Group>
    ),
    width: '12rem',
  },
  { label: 'Published by', cell: ({ publisher }) => <Untrusted text={publisher} /> },
  { label: 'Note', cell: ({ note }) => note && <Untrusted text={note} />, isMinor: true },
  { label: 'Published', cell: ({ publishedAt }) => <When at={publishedAt} /> },
  {
    label: 'Actions',
    cell: (row) =>
      row.revision !== current?.revision && (
        <Group gap="xs" justify="flex-end">
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`Compare revision ${row.revision}`}
            onClick={() => onCompare(row)}
          >
            Compare
          </Button>
          {onRestore && (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={`Roll back to revision ${row.revision}`}
              onClick={() => onRestore(row)}
            >
              Roll back
            </Button>
          )}
        </Group>
      ),
    width: '14rem',
  },
];
