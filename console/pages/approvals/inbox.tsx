import {
  ActionIcon,
  Alert,
  Anchor,
  Box,
  Button,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconChecklist, IconKeyboard } from '@tabler/icons-react';
import { useCallback, useRef, useState } from 'react';
import { Link, Navigate, Outlet, useNavigate, useParams, useSearchParams } from 'react-router';
import { Empty } from '../../kit/empty.tsx';
import { Late } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { type Pages, usePages } from '../../kit/use-pages.ts';
import { inboxQuery, type InboxApproval } from './inbox-query.ts';
import './inbox.css';
import { InboxItem } from './inbox-item.tsx';
import { OpenReviews } from './open-reviews.tsx';
import { KeyboardShortcuts } from './keyboard-shortcuts.tsx';

/** What the open approval needs from the list. */
export interface InboxContext {
  /** Opens the next approval that this person can decide, or the list if there is none, and shows the message there. */
  goToNext(message: string): void;
}

export function Component() {
  const { id } = useParams();
  const [show] = useFilter('show');
  const navigate = useNavigate();
  const isPending = show !== 'decided';
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const [isHelpOpen, help] = useDisclosure();
  const pages = usePages({
    query: inboxQuery,
    // the longest wait comes first
    variables: { isPending, oldestFirst: isPending },
    pick: (data) => data.approvals,
    news: 'approval',
  });
  const { step, goToNext } = useSteps(pages.nodes ?? [], id);
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['?', help.toggle],
    ['shift+?', help.toggle],
  ]);
  const [message, setDone] = useState<{ id?: string; text: string }>();
  const showMessageAndGoToNext = (text: string) => {
    setDone({ id, text });
    goToNext();
  };
  // right after a change of the filter, the rows of the other list are still there
  const first = pages.nodes?.find(({ state }) => (state === 'pending') === isPending);
  const isDetailOnly = !isWide && id !== undefined;
  return (
    <Page
      title={isDetailOnly ? 'Approval' : 'Approvals'}
      trail={isDetailOnly ? [['Approvals', '/approvals']] : undefined}
      lead={
        isDetailOnly ? undefined : 'Calls that need a decision before they run. An approved call runs exactly as shown.'
      }
      actions={isWide && <HelpButton onClick={help.open} />}
    >
      {/* above the list: a toast in the corner would cover the buttons of the next decision */}
      <div role="status">
        {message && (
          <Alert
            color="sign"
            variant="light"
            mb="md"
            p="xs"
            withCloseButton
            closeButtonLabel="Close"
            onClose={() => setDone(undefined)}
          >
            {message.text}{' '}
            <Anchor component={Link} to={`/approvals/${message.id}`} inherit>
              View approval
            </Anchor>
          </Alert>
        )}
      </div>
      {!isDetailOnly && <OpenReviews />}
      <div className="inbox" data-one={id ? true : undefined}>
        <Box component="nav" aria-label="Approvals" className="inbox-list">
          <SegmentedControl
            fullWidth
            aria-label="Filter approvals"
            value={isPending ? 'waiting' : 'decided'}
            // the open approval belongs to the other list
            onChange={(value) => void navigate(value === 'decided' ? '/approvals?show=decided' : '/approvals')}
            data={[
              { value: 'waiting', label: 'Pending' },
              { value: 'decided', label: 'Decided' },
            ]}
          />
          <List pages={pages} chosen={id} isPending={isPending} onStep={step} />
        </Box>
        <div className="inbox-one">
          <Outlet context={{ goToNext: showMessageAndGoToNext } satisfies InboxContext} />
          {isWide && !id && first && <RedirectToFirst id={first.id} />}
        </div>
      </div>
      <KeyboardShortcuts opened={isHelpOpen} onClose={help.close} />
    </Page>
  );
}

const HelpButton = ({ onClick }: { onClick(): void }) => (
  <Tooltip label="Keyboard shortcuts (?)">
    <ActionIcon variant="default" size="lg" aria-label="Keyboard shortcuts" onClick={onClick}>
      <IconKeyboard size={20} />
    </ActionIcon>
  </Tooltip>
);

function RedirectToFirst({ id }: { id: string }) {
  const [params] = useSearchParams();
  return <Navigate to={{ pathname: `/approvals/${id}`, search: `${params}` }} replace />;
}

/** Moves through the list. If the open approval leaves the list, its position is kept. */
function useSteps(nodes: readonly InboxApproval[], id: string | undefined) {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const position = useRef(0);
  // the list updates a moment later
  const decided = useRef(new Set<string>());
  const at = nodes.findIndex((node) => node.id === id);
  if (at >= 0) position.current = at;

  const goTo = useCallback(
    (next: InboxApproval | undefined) =>
      void navigate({ pathname: `/approvals/${next?.id ?? ''}`, search: `${params}` }),
    [navigate, params],
  );
  const step = (by: 1 | -1) => {
    const from = at >= 0 ? at : by > 0 ? position.current - 1 : position.current;
    const next = nodes[from + by];
    if (!next) return;
    goTo(next);
    document.getElementById(linkId(next.id))?.focus({ preventScroll: false });
  };
  const goToNext = () => {
    if (id) decided.current.add(id);
    const isNext = (node: InboxApproval) =>
      node.state === 'pending' && node.viewerCanDecide && !decided.current.has(node.id);
    goTo(nodes.slice(position.current).find(isNext) ?? nodes.slice(0, position.current).findLast(isNext));
  };
  return { step, goToNext };
}

const linkId = (id: string) => `approval-${id}`;

interface ListProps {
  pages: Pages<InboxApproval>;
  chosen?: string;
  isPending: boolean;
  onStep(by: 1 | -1): void;
}

function List({ pages, chosen, isPending, onStep }: ListProps) {
  const { nodes, problem, refetch, hasMore, more, isFetching } = pages;
  const [params] = useSearchParams();
  if (problem && !nodes) return <ProblemNote problem={problem} retry={refetch} />;
  if (!nodes)
    return (
      <Late>
        <Skeleton height={180} mt="sm" aria-busy="true" aria-label="Loading" />
      </Late>
    );
  if (!nodes.length) return <EmptyInbox isPending={isPending} />;
  return (
    <>
      {problem && <ProblemNote problem={problem} retry={refetch} />}
      <Stack
        component="ul"
        gap={0}
        className="inbox-items"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          onStep(event.key === 'ArrowDown' ? 1 : -1);
        }}
      >
        {nodes.map((node) => (
          <li key={node.id}>
            <Anchor
              component={Link}
              id={linkId(node.id)}
              to={{ pathname: `/approvals/${node.id}`, search: `${params}` }}
              className="inbox-item"
              underline="never"
              aria-current={node.id === chosen || undefined}
            >
              <InboxItem approval={node} />
            </Anchor>
          </li>
        ))}
      </Stack>
      {hasMore && (
        <Button variant="subtle" fullWidth onClick={more} loading={isFetching}>
          Show more
        </Button>
      )}
      <Text size="xs" c="dimmed" ta="end" mt="xs" className="figures">
        {nodes.length.toLocaleString('en')} of {pages.totalCount.toLocaleString('en')}
      </Text>
    </>
  );
}

const EmptyInbox = ({ isPending }: { isPending: boolean }) => (
  <Box mt="sm">
    {isPending ? (
      <Empty icon={IconChecklist} title="No pending approvals">
        Calls appear here when a policy requires approval. This page updates automatically.
      </Empty>
    ) : (
      <Empty icon={IconChecklist} title="No decisions yet">
        Decided approvals that you requested, decided, or can audit appear here.
      </Empty>
    )}
  </Box>
);
