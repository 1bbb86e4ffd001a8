import { Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload, IconTemplate, IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import '../lines.css';

const query = graphql(`
  query PolicyTemplates {
    policyTemplates {
      id
      name
      description
      text
    }
  }
`);

interface Props {
  /** Of the configuration. */
  name: string;
  text: string;
  /** Absent: read-only. */
  onChange?(text: string): void;
}

const maxFileBytes = 512 * 1024;

/** Exports the text to a file, and replaces it by a file or a template. Nothing is saved. */
export function PolicyTextActions({ name, text, onChange }: Props) {
  const [isChoosing, choosing] = useDisclosure();
  const [problem, setProblem] = useState<string | null>(null);
  const clearFile = useRef<() => void>(null);
  const importFile = async (file: File | null) => {
    if (!file) return;
    // otherwise, choosing the same file again would have no effect
    clearFile.current?.();
    if (file.size > maxFileBytes) return setProblem(`${file.name} is too large for a policy.`);
    setProblem(null);
    onChange?.(await file.text());
  };
  return (
    <>
      {onChange && (
        <>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconTemplate size={14} aria-hidden />}
            onClick={choosing.open}
          >
            Use template
          </Button>
          <FileButton
            accept=".cedar,text/plain"
            onChange={(file) => void importFile(file)}
            resetRef={clearFile}
            inputProps={{ 'aria-label': 'Policy file' }}
          >
            {(props) => (
              <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} aria-hidden />}>
                Import file
              </Button>
            )}
          </FileButton>
        </>
      )}
      <Button
        component="a"
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        download={`${name.replace(/[^\p{L}\p{N}]+/gu, '-')}.cedar`}
        variant="default"
        size="xs"
        leftSection={<IconDownload size={14} aria-hidden />}
      >
        Export file
      </Button>
      {problem && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
      <Modal opened={isChoosing} onClose={choosing.close} title="Use template" size="lg">
        {isChoosing && (
          <Templates
            onUse={(template) => {
              onChange?.(template);
              choosing.close();
            }}
          />
        )}
      </Modal>
    </>
  );
}

function Templates({ onUse }: { onUse(text: string): void }) {
  const [result, refetch] = useQuery({ query });
  return (
    <Stack gap="sm">
      <Text size="sm">A template replaces the text in the editor. Nothing changes for calls until you publish it.</Text>
      <Loaded result={result} refetch={() => refetch({ requestPolicy: 'network-only' })}>
        {({ policyTemplates }) => (
          <ul className="lines" aria-label="Templates">
            {policyTemplates.map(({ id, name, description, text }) => (
              <li key={id}>
                <Group justify="space-between" gap="sm">
                  <Stack gap={2} flex="1 1 14rem">
                    <Text size="sm" fw={600}>
                      {name}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {description}
                    </Text>
                  </Stack>
                  <Button variant="default" size="xs" aria-label={`Use template ${name}`} onClick={() => onUse(text)}>
                    Use
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Stack>
  );
}
