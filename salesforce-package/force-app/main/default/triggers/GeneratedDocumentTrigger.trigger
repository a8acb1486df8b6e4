trigger GeneratedDocumentTrigger on Generated_Document__c(before insert, before update) {
  if (Trigger.isInsert) {
    GeneratedDocumentHandler.beforeInsert(Trigger.new);
  } else {
    GeneratedDocumentHandler.beforeUpdate(Trigger.new, Trigger.oldMap);
  }
}
