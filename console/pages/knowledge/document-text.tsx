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
  /** Lines and columns of code stay under each other. */
  isCode: boolean;
  groupIds: readonly string[] | null;
}

/** What a document says, for readers in one's own groups; for others, it is recorded. */
export function DocumentText({ documentId, isCode, groupIds }: Props) {
  const [as, setAs] = useFilter('as');
  return (
    <Section
      title="What it says"
      lead={
        as ? 'Seen as others see it. This was recorded in the audit log.' : 'As it was taken over, without its looks.'
      }
    >
      <Part
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

interface PartProps {
  documentId: string;
  isCode: boolean;
  from: number;
  asGroups: string[] | null;
  readAsReaders?: () => void;
}

function Part({ documentId, isCode, from, asGroups, readAsReaders }: PartProps) {
  const [isGoingOn, setGoingOn] = useState(false);
  const variables = { input: { documentId, from, asGroups } };
  // a look through others' eyes is recorded each time: it is made once
  const [asked, again] = useQuery({ query, variables, requestPolicy: 'cache-first' });
  if (asked.error && problemOf(asked.error).code === 'document-not-found')
    return <NotForYou readAsReaders={readAsReaders} />;
  return (
    <Loaded asked={asked} again={again}>
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
            (isGoingOn ? (
              <Part documentId={documentId} isCode={isCode} from={next} asGroups={asGroups} />
            ) : (
              <Button variant="default" onClick={() => setGoingOn(true)}>
                Read on
              </Button>
            ))}
        </>
      )}
    </Loaded>
  );
}

const NotForYou = ({ readAsReaders }: Pick<PartProps, 'readAsReaders'>) => (
  <Alert color="gray" icon={<IconLock aria-hidden />} title="You cannot read it">
    <Group justify="space-between">
      <span>Its source is paused, or you are in none of the groups that may read it.</span>
      {readAsReaders && (
        <Button size="compact-sm" variant="default" onClick={readAsReaders}>
          Read it as they do; this is recorded
        </Button>
      )}
    </Group>
  </Alert>
);
