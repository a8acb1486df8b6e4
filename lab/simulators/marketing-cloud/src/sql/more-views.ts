/** The columns of a data view, with DuckDB's types. */
export type Columns = Readonly<Record<string, string>>;

const TYPES: Readonly<Record<string, string>> = {
  text: 'VARCHAR',
  number: 'INTEGER',
  date: 'TIMESTAMP',
  boolean: 'BOOLEAN',
};

/** `name type, name type`. */
function columns(definition: string): Columns {
  return Object.fromEntries(
    definition.split(',').map((column) => {
      const [name = '', type = ''] = column.trim().split(/\s+/);
      return [name, TYPES[type] ?? 'VARCHAR'];
    }),
  );
}

/** With rows: what some of the sends belong to. */
export const JOURNEYS: Readonly<Record<string, Columns>> = {
  _Journey:
    columns(`VersionID text, JourneyID text, JourneyName text, VersionNumber number, CreatedDate date,
    LastPublishedDate date, ModifiedDate date, JourneyStatus text`),
  _JourneyActivity:
    columns(`VersionID text, ActivityID text, ActivityName text, ActivityExternalKey text,
    JourneyActivityObjectID text, ActivityType text`),
};

const EVENT = `AccountID number, OYBAccountID number, JobID number, ListID number, BatchID number, SubscriberID number,
  SubscriberKey text`;
const TRIGGERED = 'TriggererSendDefinitionObjectID text, TriggeredSendCustomerKey text';

/** Without rows: nobody here sends messages to phones, answers surveys or runs automations. A query on them runs, and gives none. */
export const EMPTY: Readonly<Record<string, Columns>> = {
  _FTAF: columns(`${EVENT}, TransactionTime date, Domain text, IsUnique boolean, ${TRIGGERED}`),
  _SurveyResponse:
    columns(`${EVENT}, EventDate date, Domain text, SurveyID number, SurveyName text, IsUnique number,
    QuestionID number, QuestionName text, Question text, AnswerID number, AnswerName text, Answer text, AnswerData text,
    ${TRIGGERED}`),
  _EnterpriseAttribute: columns('_SubscriberID number'),
  _BusinessUnitUnsubscribes:
    columns(`BusinessUnitID number, SubscriberID number, SubscriberKey text, UnsubDateUTC date,
    UnsubReason text`),
  _ReconcilableDispositionView:
    columns(`JobId number, Channel number, Disposition number, MessageKey text,
    SubscriberKey text, SubscriberID number, ErrorCodeID number, ErrorName text, ErrorDescription text, StartTime date`),
  _AutomationInstance: columns(`MemberID number, AutomationName text, AutomationDescription text,
    AutomationCustomerKey text, AutomationInstanceID text, AutomationType text,
    AutomationNotificationRecipient_Complete text, AutomationNotificationRecipient_Error text,
    AutomationNotificationRecipient_Skip text, AutomationStepCount number, AutomationInstanceIsRunOnce boolean,
    FilenameFromTrigger text, AutomationInstanceScheduledTime_UTC date, AutomationInstanceStartTime_UTC date,
    AutomationInstanceEndTime_UTC date, AutomationInstanceStatus text, AutomationInstanceActivityErrorDetails text`),
  _AutomationActivityInstance:
    columns(`MemberID number, JobID number, AutomationName text, AutomationCustomerKey text,
    AutomationInstanceID text, ActivityCustomerKey text, ActivityInstanceID text, ActivityType number, ActivityName text,
    ActivityDescription text, ActivityInstanceStep text, ActivityInstanceStartTime_UTC date,
    ActivityInstanceEndTime_UTC date, ActivityInstanceStatus text, ActivityInstanceStatusDetails text`),
  _SMSMessageTracking:
    columns(`MobileMessageTrackingID number, EID number, MID number, Mobile text, MessageID number,
    KeywordID text, CodeID text, ConversationID text, CampaignID number, Sent boolean, Delivered boolean,
    Undelivered boolean, Outbound boolean, Inbound boolean, CreateDateTime date, ModifiedDateTime date,
    ActionDateTime date, MessageText text, IsTest boolean, MobileMessageRecurrenceID number,
    ResponseToMobileMessageTrackingID number, IsValid boolean, InvalidationCode number, SendID number,
    SendSplitID number, SendSegmentID number, SendJobID number, SendGroupID number, SendPersonID number,
    SubscriberID number, SubscriberKey text, SMSStandardStatusCodeId number, Description text, Name text,
    ShortCode text, SharedKeyword text, Ordinal number, FromName text, JBActivityID text, JBDefinitionID text,
    SMSJobID text, SMSBatchID number, ConversationStateID text`),
  _SMSSubscriptionLog: columns(`LogDate date, SubscriberKey text, MobileSubscriptionID number,
    SubscriptionDefinitionID text, MobileNumber text, OptOutStatusID number, OptOutMethodID number, OptOutDate date,
    OptInStatusID number, OptInMethodID number, OptInDate date, Source number, CreatedDate date, ModifiedDate date`),
  _SubscriberSMS:
    columns(`SubscriberID number, SubscriberKey text, MobileNumber text, TransactionalOptIn boolean,
    TransactionalOptInDate date, TransactionalOptOutDate date, MarketingOptIn boolean, MarketingOptInDate date,
    MarketingOptOutDate date, SMSCarrierName text`),
  _UndeliverableSMS: columns(
    'MobileNumber text, Undeliverable boolean, BounceCount number, FirstBounceDate date, HoldDate date',
  ),
  _MobileAddress:
    columns(`_MobileID number, _ContactID number, _MobileNumber text, _Status number, _Source number,
    _SourceObjectId text, _Priority number, _Channel text, _CarrierID number, _CountryCode text, _CreatedDate date,
    _CreatedBy text, _ModifiedDate date, _ModifiedBy text, _City text, _State text, _ZipCode text, _FirstName text,
    _LastName text, _UTCOffset number, _IsHonorDST boolean`),
  _MobileSubscription:
    columns(`_SubscriptionDefinitionID text, _MobileNumber text, _OptOutStatusID text,
    _OptOutMethodID text, _OptOutDate date, _OptInStatusID text, _OptInMethodID text, _OptInDate date, _Source text,
    _CreatedDate date, _CreatedBy text, _ModifiedDate date, _ModifiedBy text`),
  _PushAddress:
    columns(`_ContactID number, _DeviceID text, _APID text, _Status text, _Source text, _SourceObjectId text,
    _Platform text, _PlatformVersion text, _Alias text, _OptOutStatusID text, _OptOutMethodID text, _OptOutDate date,
    _OptInStatusID text, _OptInMethodID text, _OptInDate date, _Channel text, _CreatedDate date, _CreatedBy text,
    _ModifiedDate date, _ModifiedBy text, _City text, _State text, _ZipCode text, _FirstName text, _LastName text,
    _UTCOffset text, _IsHonorDST text, _SystemToken text, _ProviderToken text, _Badge text, _LocationEnabled text,
    _TimeZone text, _Device text, _HardwareId text, _DeviceType text`),
  _PushTag:
    columns(`_DeviceID text, _APID text, _Value text, _CreatedDate date, _CreatedBy text, _ModifiedDate date,
    _ModifiedBy text`),
};
