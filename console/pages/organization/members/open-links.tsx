import { Button, Group, Stack, Text } from '@mantine/core';
import { IconMail, IconLock } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { type Pages, usePages } from '../../../kit/use-pages.ts';
import { When } from '../../../kit/when.tsx';
import { MemberName } from '../member-name.tsx';
import { roleNames } from '../../../features/members/roles.tsx';

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

const revokeLink = graphql(`
  mutation RevokeLink($input: RevokeLinkInput!) {
    revokeLink(input: $input) {
      id
    }
  }
`);

export const useOpenLinks = (): Pages<OpenLink> =>
  usePages({ query, variables: {}, pick: ({ links }) => links, news: 'organization' });

/** Invitation and reset links that are still valid. */
export function OpenLinks({ links: { nodes, hasMore, more, refetch } }: { links: Pages<OpenLink> }) {
  if (!nodes?.length) return null;
  return (
    <Section
      title="Active links"
      lead="Each link can be used once by anyone who has it. Revoke links that were sent to the wrong person."
    >
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {nodes.map((link) => (
          <Row key={link.id} link={link} onRevoked={refetch} />
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

function Row({ link, onRevoked }: { link: OpenLink; onRevoked(): void }) {
  const { id, kind, email, name, roles, memberId, createdBy, expiresAt } = link;
  const revoke = useChange(revokeLink, {
    done: 'Link revoked.',
    onDone: onRevoked,
    isLoud: true,
  });
  const isInvitation = kind === 'invitation';
  const LinkIcon = isInvitation ? IconMail : IconLock;
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 16rem">
        <LinkIcon size={18} stroke={1.6} aria-hidden />
        <div>
          <Text size="sm">
            {isInvitation ? 'Invitation for ' : kind === 'reset' ? 'Password reset for ' : 'Sign-in link for '}
            {email ? <Untrusted text={name ? `${name}, ${email}` : email} /> : <MemberName id={memberId} />}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {isInvitation && roles?.length ? `${roleNames(roles)}. ` : ''}
            Created by <MemberName id={createdBy} fallback="the server operator" />, expires <When at={expiresAt} />
          </Text>
        </div>
      </Group>
      <Button
        size="compact-sm"
        variant="default"
        loading={revoke.isSending}
        aria-label={`Revoke link for ${email ?? 'this member'}`}
        onClick={() => revoke.send({ input: { linkId: id } })}
      >
        Revoke link
      </Button>
    </Group>
  );
}
