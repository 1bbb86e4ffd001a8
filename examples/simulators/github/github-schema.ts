/** The fields that issues and pull requests have in common. */
const issueFields = /* GraphQL */ `
    id: ID!
    databaseId: Int
    number: Int!
    title: String!
    body: String!
    author: Actor
    comments(first: Int, after: String): IssueCommentConnection!
`;

/** The part of GitHub's GraphQL schema that the simulator serves. */
export const githubSchema = /* GraphQL */ `
  scalar DateTime
  scalar URI
  scalar GitObjectID

  interface Node {
    id: ID!
  }
  interface Actor {
    login: String!
  }
  interface GitObject {
    oid: GitObjectID!
  }
  type PageInfo {
    hasNextPage: Boolean!
    endCursor: String
  }
  enum OrderDirection {
    ASC
    DESC
  }
  enum DiscussionOrderField {
    CREATED_AT
    UPDATED_AT
  }
  input DiscussionOrder {
    field: DiscussionOrderField!
    direction: OrderDirection!
  }
  enum PullRequestReviewState {
    APPROVED
    CHANGES_REQUESTED
    COMMENTED
    DISMISSED
    PENDING
  }

  type User implements Node & Actor {
    id: ID!
    databaseId: Int
    login: String!
    name: String
    organizationVerifiedDomainEmails(login: String!): [String!]!
  }
  type Bot implements Node & Actor {
    id: ID!
    databaseId: Int
    login: String!
  }

  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    organization(login: String!): Organization
    enterprise(slug: String!): Enterprise
  }

  type Organization implements Node {
    id: ID!
    login: String!
    samlIdentityProvider: OrganizationIdentityProvider
  }
  type OrganizationIdentityProvider implements Node {
    id: ID!
    externalIdentities(first: Int, after: String): ExternalIdentityConnection!
  }
  type ExternalIdentityConnection {
    nodes: [ExternalIdentity]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type ExternalIdentity implements Node {
    id: ID!
    user: User
    samlIdentity: ExternalIdentitySamlAttributes
  }
  type ExternalIdentitySamlAttributes {
    nameId: String
  }
  type Enterprise implements Node {
    id: ID!
    slug: String!
    members(first: Int, after: String): EnterpriseMemberConnection!
  }
  union EnterpriseMember = EnterpriseUserAccount | User
  type EnterpriseMemberConnection {
    nodes: [EnterpriseMember]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type EnterpriseUserAccount implements Node & Actor {
    id: ID!
    login: String!
    user: User
  }

  type Repository implements Node {
    id: ID!
    databaseId: Int
    nameWithOwner: String!
    issues(first: Int): IssueConnection!
    pullRequests(first: Int): PullRequestConnection!
    discussions(first: Int, after: String, orderBy: DiscussionOrder): DiscussionConnection!
    object(oid: GitObjectID, expression: String): GitObject
  }
  type IssueConnection {
    totalCount: Int!
  }
  type PullRequestConnection {
    totalCount: Int!
  }
  type DiscussionConnection {
    nodes: [Discussion]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type Blob implements Node & GitObject {
    id: ID!
    oid: GitObjectID!
    byteSize: Int!
    isBinary: Boolean
    isTruncated: Boolean!
    text: String
  }

  type Issue implements Node {
    ${issueFields}
  }
  type IssueCommentConnection {
    nodes: [IssueComment]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type IssueComment implements Node {
    id: ID!
    author: Actor
    body: String!
    createdAt: DateTime!
    isMinimized: Boolean!
    minimizedReason: String
  }
  type PullRequest implements Node {
    ${issueFields}
    reviews(first: Int, after: String): PullRequestReviewConnection
    reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
  }
  type PullRequestReviewConnection {
    nodes: [PullRequestReview]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type PullRequestReview implements Node {
    id: ID!
    author: Actor
    body: String!
    state: PullRequestReviewState!
    submittedAt: DateTime
    isMinimized: Boolean!
    minimizedReason: String
  }
  type PullRequestReviewThreadConnection {
    nodes: [PullRequestReviewThread]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type PullRequestReviewThread implements Node {
    id: ID!
    path: String!
    line: Int
    isResolved: Boolean!
    comments(first: Int, after: String): PullRequestReviewCommentConnection!
  }
  type PullRequestReviewCommentConnection {
    nodes: [PullRequestReviewComment]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type PullRequestReviewComment implements Node {
    id: ID!
    author: Actor
    body: String!
    createdAt: DateTime!
    isMinimized: Boolean!
    minimizedReason: String
  }
  type Discussion implements Node {
    id: ID!
    databaseId: Int
    number: Int!
    title: String!
    body: String!
    url: URI!
    author: Actor
    createdAt: DateTime!
    updatedAt: DateTime!
    category: DiscussionCategory!
    repository: Repository!
    comments(first: Int, after: String): DiscussionCommentConnection!
  }
  type DiscussionCategory {
    name: String!
  }
  type DiscussionCommentConnection {
    nodes: [DiscussionComment]
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type DiscussionComment implements Node {
    id: ID!
    author: Actor
    body: String!
    createdAt: DateTime!
    isMinimized: Boolean!
    minimizedReason: String
    replies(first: Int, after: String): DiscussionCommentConnection!
  }
`;
