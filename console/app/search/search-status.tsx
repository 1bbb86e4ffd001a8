import { Alert, Button, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Problem } from '../../api/problem.ts';
import { visible } from '../../kit/visible.ts';

interface Props {
  text: string;
  count: number;
  isLoading: boolean;
  problem: Problem | null;
  retry(): void;
}

/** What the search does, for the eye and for screen readers. The focus stays in the input, also after an error. */
export const SearchStatus = ({ text, count, isLoading, problem, retry }: Props) => (
  <>
    <div role="status">
      {isLoading ? (
        <VisuallyHidden>Searching…</VisuallyHidden>
      ) : count ? (
        <VisuallyHidden>{count === 1 ? '1 result' : `${count} results`}</VisuallyHidden>
      ) : (
        !problem && (
          <Text ta="center" c="dimmed" py="lg">
            No results for “{visible(text)}”
          </Text>
        )
      )}
    </div>
    {problem && (
      <Alert
        role="alert"
        color="red"
        variant="light"
        mt="md"
        icon={<IconAlertTriangle aria-hidden />}
        title={problem.message}
      >
        <Button size="compact-sm" variant="default" onClick={retry}>
          Try again
        </Button>
      </Alert>
    )}
  </>
);
