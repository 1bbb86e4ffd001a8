import { Alert, Button, Text } from '@mantine/core';
import { IconFileAlert } from '@tabler/icons-react';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { EstateFile } from './file-query.ts';

const retryFile = graphql(`
  mutation RetryEstateFile($id: ID!) {
    retryEstateFile(input: { fileId: $id }) {
      id
      status
    }
  }
`);

interface Props {
  file: EstateFile;
  onRetried(): void;
}

export function QuarantinedFile({ file: { id, problems }, onRetried }: Props) {
  const may = useMay();
  const mayRetry = may('estate:manage');
  const retry = useChange(retryFile, {
    done: 'The next upload or scan reads the file again.',
    isLoud: true,
    onDone: onRetried,
  });
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconFileAlert aria-hidden />}
      mb="md"
      title="This file could not be checked"
    >
      {problems.map(({ reason }, at) => (
        <Text key={at} size="sm" mb={6}>
          It <Untrusted text={reason} />.
        </Text>
      ))}
      <Text size="sm" mb={mayRetry ? 'sm' : 0}>
        Two worker processes failed to read this file. Its servers and findings are unknown, and none of its content is
        stored. It is read again when its content changes
        {mayRetry ? ', or with the next upload or scan after you retry it' : ''}.
      </Text>
      {mayRetry && (
        <Button size="xs" variant="default" loading={retry.isSending} onClick={() => void retry.send({ id })}>
          Retry file
        </Button>
      )}
    </Alert>
  );
}
