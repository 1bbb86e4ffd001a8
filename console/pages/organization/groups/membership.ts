import { graphql } from '../../../api/graphql.ts';

/* Mutations that the page of a member and the page of a group share. */

export const addGroupMember = graphql(`
  mutation AddGroupMember($input: GroupMemberInput!) {
    addGroupMember(input: $input) {
      id
      groups {
        id
        memberCount
      }
    }
  }
`);

export const removeGroupMember = graphql(`
  mutation RemoveGroupMember($input: GroupMemberInput!) {
    removeGroupMember(input: $input) {
      id
      groups {
        id
        memberCount
      }
    }
  }
`);
