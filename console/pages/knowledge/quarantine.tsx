import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconFileAlert } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { count } from '../../kit/figures.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';

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

/** Documents that are not read again automatically. */
export function Quarantine({ connectionId }: { connectionId: string }) {
  const [result, execute] = useQuery({ query: quarantineQuery, variables: { connectionId } });
  const refetch = () => execute({ requestPolicy: 'network-only' });
  useChangeEvents('source', refetch, connectionId);
  const documents = result.data?.quarantinedDocuments ?? [];
  if (!documents.length) return null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconFileAlert aria-hidden />}
      mb="lg"
      title={`${documents.length === 1 ? '1 document' : `${count(documents.length)} documents`} could not be read`}
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
