import { Alert, Button, Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { problemOf } from '../../api/problem.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';

const query = graphql(`
  query ReadKnowledge($input: ReadKnowledgeInput!) {
    readKnowledge(input: $input) {
      documentId
      position
      text
      next
    }
  }
`);

interface Props {
  documentId: string;
  /** Code is shown in a monospaced font. */
  isCode: boolean;
  groupIds: readonly string[] | null;
}

/** The text of a document, as the member's own groups may read it, or (recorded) as other groups. */
export function DocumentText({ documentId, isCode, groupIds }: Props) {
  const [as, setAs] = useFilter('as');
  return (
    <Section
      title="Content"
      lead={
        as
          ? 'Shown with the access of other groups. This access is recorded in the audit log.'
          : 'The indexed text, without formatting.'
      }
    >
      <Passage
        key={as}
        documentId={documentId}
        isCode={isCode}
        from={0}
        asGroups={as?.split(',') ?? null}
        readAsReaders={groupIds?.length && !as ? () => setAs(groupIds.join(',')) : undefined}
      />
    </Section>
  );
}

interface PassageProps {
  documentId: string;
  isCode: boolean;
  from: number;
  asGroups: string[] | null;
  readAsReaders?: () => void;
}

function Passage({ documentId, isCode, from, asGroups, readAsReaders }: PassageProps) {
  const [showsNext, setShowsNext] = useState(false);
  const variables = { input: { documentId, from, asGroups } };
  // access as other groups is recorded each time: fetch once
  const [result, refetch] = useQuery({ query, variables, requestPolicy: 'cache-first' });
  if (result.error && problemOf(result.error).code === 'document-not-found')
    return <NoAccess readAsReaders={readAsReaders} />;
  return (
    <Loaded result={result} refetch={refetch}>
      {({ readKnowledge: { text, position, next } }) => (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            {position}
          </Text>
          <Text
            size="sm"
            component="div"
            mb="md"
            ff={isCode ? 'monospace' : undefined}
            style={{ whiteSpace: 'pre-wrap' }}
          >
            <Untrusted text={text} />
          </Text>
          {next !== null &&
            (showsNext ? (
              <Passage documentId={documentId} isCode={isCode} from={next} asGroups={asGroups} />
            ) : (
              <Button variant="default" onClick={() => setShowsNext(true)}>
                Load more
              </Button>
            ))}
        </>
      )}
    </Loaded>
  );
}

const NoAccess = ({ readAsReaders }: Pick<PassageProps, 'readAsReaders'>) => (
  <Alert color="gray" icon={<IconLock aria-hidden />} title="You don't have access">
    <Group justify="space-between">
      <span>The source is paused, or none of your groups may read this document.</span>
      {readAsReaders && (
        <Button size="compact-sm" variant="default" onClick={readAsReaders}>
          Read as these groups (recorded)
        </Button>
      )}
    </Group>
  </Alert>
);
