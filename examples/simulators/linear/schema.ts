/** The part of Linear's schema that the simulator supports. */
export const schemaText = /* GraphQL */ `
  scalar DateTime
  scalar JSON
  enum PaginationOrderBy {
    createdAt
    updatedAt
  }
  enum TeamVisibility {
    private
    public
    restricted
    unknown
  }
  input IdComparator {
    eq: ID
    in: [ID!]
    nin: [ID!]
  }
  input DateComparator {
    gte: DateTime
    lt: DateTime
  }
  input RelationExistsComparator {
    eq: Boolean
  }
  input TeamFilter {
    id: IdComparator
  }
  input IssueFilter {
    id: IdComparator
    team: TeamFilter
    updatedAt: DateComparator
    hasSharedUsers: RelationExistsComparator
  }
  input CommentFilter {
    updatedAt: DateComparator
    issue: IssueFilter
  }
  input ProjectFilter {
    id: IdComparator
    updatedAt: DateComparator
  }
  input ProjectUpdateFilter {
    updatedAt: DateComparator
  }
  input DocumentFilter {
    id: IdComparator
    updatedAt: DateComparator
  }
  input IssueCreateInput {
    id: String
    teamId: String!
    title: String
    description: String
    priority: Int
  }
  input CommentCreateInput {
    id: String
    issueId: String
    body: String
  }
  input IssueUpdateInput {
    stateId: String
  }
  type PageInfo {
    hasNextPage: Boolean!
    endCursor: String
  }
  type Organization {
    id: ID!
    name: String!
    urlKey: String!
  }
  type User {
    id: ID!
    name: String!
    displayName: String!
    email: String!
    active: Boolean!
    guest: Boolean!
    app: Boolean!
  }
  type ActorBot {
    name: String
  }
  type WorkflowState {
    id: ID!
    name: String!
    type: String!
  }
  type IssueLabel {
    name: String!
  }
  type Team {
    id: ID!
    key: String!
    name: String!
    visibility: TeamVisibility!
    private: Boolean!
    parent: Team
    members(first: Int, after: String): UserConnection!
    states(first: Int): WorkflowStateConnection!
  }
  type IssueSharedAccess {
    isShared: Boolean!
    sharedWithCount: Int!
    sharedWithUsers: [User!]!
  }
  type Issue {
    id: ID!
    identifier: String!
    previousIdentifiers: [String!]!
    title: String!
    description: String
    url: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    archivedAt: DateTime
    trashed: Boolean
    priorityLabel: String!
    team: Team!
    state: WorkflowState!
    creator: User
    assignee: User
    botActor: ActorBot
    project: Project
    parent: Issue
    labels(first: Int): IssueLabelConnection!
    inheritsSharedAccess: Boolean!
    sharedAccess: IssueSharedAccess!
    comments(first: Int, after: String): CommentConnection!
  }
  type Comment {
    id: ID!
    body: String!
    url: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    user: User
    botActor: ActorBot
    issue: Issue
  }
  type ProjectStatus {
    name: String!
  }
  type Project {
    id: ID!
    name: String!
    description: String!
    content: String
    url: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    archivedAt: DateTime
    trashed: Boolean
    status: ProjectStatus!
    lead: User
    teams(first: Int): TeamConnection!
    projectUpdates(first: Int, after: String): ProjectUpdateConnection!
  }
  type ProjectUpdate {
    id: ID!
    body: String!
    health: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    user: User!
    project: Project!
  }
  type Document {
    id: ID!
    title: String!
    content: String
    url: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    archivedAt: DateTime
    trashed: Boolean
    creator: User
    team: Team
    project: Project
    issue: Issue
  }
  type UserConnection {
    nodes: [User!]!
    pageInfo: PageInfo!
  }
  type TeamConnection {
    nodes: [Team!]!
    pageInfo: PageInfo!
  }
  type IssueConnection {
    nodes: [Issue!]!
    pageInfo: PageInfo!
  }
  type CommentConnection {
    nodes: [Comment!]!
    pageInfo: PageInfo!
  }
  type IssueLabelConnection {
    nodes: [IssueLabel!]!
    pageInfo: PageInfo!
  }
  type WorkflowStateConnection {
    nodes: [WorkflowState!]!
    pageInfo: PageInfo!
  }
  type ProjectConnection {
    nodes: [Project!]!
    pageInfo: PageInfo!
  }
  type ProjectUpdateConnection {
    nodes: [ProjectUpdate!]!
    pageInfo: PageInfo!
  }
  type DocumentConnection {
    nodes: [Document!]!
    pageInfo: PageInfo!
  }
  type Query {
    viewer: User!
    organization: Organization!
    users(first: Int, after: String): UserConnection!
    teams(first: Int, after: String): TeamConnection!
    team(id: String!): Team!
    issues(
      first: Int
      after: String
      filter: IssueFilter
      includeArchived: Boolean
      orderBy: PaginationOrderBy
    ): IssueConnection!
    issue(id: String!): Issue!
    comments(
      first: Int
      after: String
      filter: CommentFilter
      includeArchived: Boolean
      orderBy: PaginationOrderBy
    ): CommentConnection!
    comment(id: String!): Comment!
    projects(
      first: Int
      after: String
      filter: ProjectFilter
      includeArchived: Boolean
      orderBy: PaginationOrderBy
    ): ProjectConnection!
    project(id: String!): Project!
    projectUpdates(
      first: Int
      after: String
      filter: ProjectUpdateFilter
      orderBy: PaginationOrderBy
    ): ProjectUpdateConnection!
    documents(
      first: Int
      after: String
      filter: DocumentFilter
      includeArchived: Boolean
      orderBy: PaginationOrderBy
    ): DocumentConnection!
  }
  type IssuePayload {
    success: Boolean!
    issue: Issue
  }
  type CommentPayload {
    success: Boolean!
    comment: Comment!
  }
  type Mutation {
    issueCreate(input: IssueCreateInput!): IssuePayload!
    issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
    commentCreate(input: CommentCreateInput!): CommentPayload!
  }
`;
