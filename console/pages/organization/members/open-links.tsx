import { Button, Group, Stack, Text } from '@mantine/core';
import { IconMail, IconLock } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { type Pages, usePages } from '../../../kit/use-pages.ts';
import { When } from '../../../kit/when.tsx';
import { MemberName } from '../member-name.tsx';
import { roleNames } from '../roles.tsx';

const query = graphql(`
  query OpenLinks($first: Int!, $after: String) {
    links(isOpen: true, first: $first, after: $after) {
      nodes {
        id
        kind
        email
        name
        roles
        memberId
        createdBy
        expiresAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type OpenLink = ResultOf<typeof query>['links']['nodes'][number];

const withdrawLink = graphql(`
  mutation WithdrawLink($input: RevokeLinkInput!) {
    revokeLink(input: $input) {
      id
    }
  }
`);

export const useOpenLinks = (): Pages<OpenLink> =>
  usePages({ query, variables: {}, pick: ({ links }) => links, news: 'organization' });

/** What still lets somebody in. Left out where there is nothing of it. */
export function OpenLinks({ links: { nodes, hasMore, more, again } }: { links: Pages<OpenLink> }) {
  if (!nodes?.length) return null;
  return (
    <Section title="Open links" lead="Whoever has one of these can use it once. Withdraw what went to the wrong place.">
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {nodes.map((link) => (
          <Row key={link.id} link={link} onWithdrawn={again} />
        ))}
      </Stack>
      {hasMore && (
        <Button variant="subtle" size="compact-sm" mt="sm" onClick={more}>
          Show more
        </Button>
      )}
    </Section>
  );
}

function Row({ link, onWithdrawn }: { link: OpenLink; onWithdrawn(): void }) {
  const { id, kind, email, name, roles, memberId, createdBy, expiresAt } = link;
  const withdraw = useChange(withdrawLink, {
    done: 'Withdrawn: the link opens nothing any more.',
    onDone: onWithdrawn,
    isLoud: true,
  });
  const isInvitation = kind === 'invitation';
  const Picture = isInvitation ? IconMail : IconLock;
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 16rem">
        <Picture size={18} stroke={1.6} aria-hidden />
        <div>
          <Text size="sm">
            {isInvitation ? 'Invitation for ' : kind === 'reset' ? 'Password reset of ' : 'Sign-in of '}
            {email ? <Untrusted text={name ? `${name}, ${email}` : email} /> : <MemberName id={memberId} />}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {isInvitation && roles?.length ? `${roleNames(roles)}. ` : ''}
            Made by <MemberName id={createdBy} nobody="the operator" />, ends <When at={expiresAt} />
          </Text>
        </div>
      </Group>
      <Button
        size="compact-sm"
        variant="default"
        loading={withdraw.isSending}
        aria-label={`Withdraw the link of ${email ?? 'this member'}`}
        onClick={() => withdraw.send({ input: { linkId: id } })}
      >
        Withdraw
      </Button>
    </Group>
  );
}
