import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Problem } from '../api/problem.ts';

interface Props {
  problem: Problem;
  /** Adds a button that tries again. */
  again?: () => void;
}

/** An error: message, affected fields, code with a link to its description. */
export const ProblemNote = ({ problem: { code, message, errors }, again }: Props) => (
  <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={message} role="alert" mb="md">
    {errors.length > 0 && (
      <List size="sm" mb="xs">
        {errors.map(({ pointer, detail }) => (
          <List.Item key={pointer + detail}>
            {fieldOf(pointer) && <b>{fieldOf(pointer)}: </b>}
            {detail}
          </List.Item>
        ))}
      </List>
    )}
    <Group gap="md">
      <Text size="sm" c="dimmed">
        Code{' '}
        <Anchor href={`/problems/${code}`} target="_blank" inherit>
          {code}
        </Anchor>
      </Text>
      {again && (
        <Button size="compact-sm" variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </Group>
  </Alert>
);

const fieldOf = (pointer: string) => pointer.split('/').at(-1);
